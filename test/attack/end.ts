import { closeSync, constants, openSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { python, request, resultOf } from '../support/request.js';
import { type Attack, compiled, folderOf } from './attack.js';

/** Signals PID 1, its own group and everybody with whatever there is; -1 is what the group of PID 1 would be called as well. */
const SIGNALS = `
import os, signal
for s in range(1, 65):
    # Nobody ignores these two, and the C library keeps the other two for itself: they would end the attacker.
    for pid in [1, -1, 0] if s not in (9, 19, 32, 33) else [1, -1] if s not in (9, 19) else [1]:
        signal.signal(s, signal.SIG_IGN) if s not in (9, 17, 19, 32, 33) else None
        try: os.kill(pid, s)
        except OSError: pass
for s in (signal.SIGKILL, signal.SIGSTOP):
    try: signal.pidfd_send_signal(os.pidfd_open(1), s)
    except OSError: pass
print('alive', flush=True)
os._exit(42)
`;

/** Leaves its parent and its session, ignores what it can, keeps stdout open and writes a heartbeat. */
const STRAY = `
import os, signal, sys, time
def stray():
    for s in range(1, 32):
        try: signal.signal(s, signal.SIG_IGN)
        except (OSError, ValueError): pass
    while True:
        with open('heartbeat', 'a') as file: file.write('.')
        time.sleep(0.01)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0: stray()
        os._exit(0)
while not os.path.exists('heartbeat'): time.sleep(0.01)
time.sleep(0.2)
`;

/** What wrote to a file is dead. */
export async function silent(path: string): Promise<void> {
  const before = statSync(path).size;
  expect(before, 'the stray was at work').toBeGreaterThan(0);
  await sleep(200);
  expect(statSync(path).size, 'the stray is dead').toBe(before);
}

/** Guarantee 11. */
export const end: Attack[] = [
  {
    name: 'signals to PID 1, to the group and to everybody',
    guarantee: 11,
    async run({ sandbox }) {
      expect(await python(sandbox, SIGNALS)).toMatchObject({ code: 42, signal: null, stdout: 'alive\n', end: 'exit' });
    },
  },
  {
    name: 'PID 1 frozen or killed, to outlive the deadline',
    guarantee: 11,
    async run({ sandbox }) {
      using work = folderOf();
      const started = performance.now();
      const code = `${STRAY}
for s in (signal.SIGSTOP, signal.SIGTSTP, signal.SIGKILL):
    try: os.kill(1, s)
    except OSError: pass
stray()`;
      const result = await python(sandbox, code, { policy: { fsWrite: [work.path] }, timeout: 3000 });
      expect(result).toMatchObject({ code: null, signal: 'SIGKILL', timedOut: true, end: 'timeout' });
      expect(result.durationMs, 'ended by the supervisor itself').toBeLessThan(4500);
      expect(performance.now() - started).toBeLessThan(30_000);
      await silent(`${work.path}/heartbeat`);
    },
  },
  {
    name: 'grandchildren that outlive the program and hold its stdout',
    guarantee: 11,
    async run({ sandbox }) {
      using work = folderOf();
      let last = Number.NaN;
      const onStdout = () => {
        last = performance.now();
      };
      const parts = { policy: { fsWrite: [work.path] } };
      const result = await python(sandbox, `${STRAY}\nprint("done")`, parts, { onStdout });
      expect(performance.now() - last, 'after its last word').toBeLessThan(3000);
      expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
      await silent(`${work.path}/heartbeat`);
    },
  },
  {
    name: 'an exit code forged by a trailer of its own',
    guarantee: 11,
    async run({ sandbox }) {
      const code = `import os, struct
for n in range(200):
    trailer = os.urandom(16) + struct.pack('<IIIIII', 1, 0, 0, 0, 0, 0) + bytes(40)
    os.write(1, trailer); os.write(2, trailer)
os._exit(3)`;
      expect(await python(sandbox, code)).toMatchObject({ code: 3, end: 'exit' });
    },
  },
  {
    name: 'streams closed early, or turned around',
    guarantee: 11,
    async run({ sandbox }) {
      const code = `import os
os.write(1, b'first')
for fd in (0, 1, 2): os.close(fd)
r, w = os.pipe(); os.write(w, b'x')
os._exit(7)`;
      expect(await python(sandbox, code)).toMatchObject({ code: 7, stdout: 'first' });
    },
  },
  {
    name: 'stdin of the supervisor, read or written to',
    guarantee: 11,
    async run({ sandbox }) {
      const code = `import os
for path in ['/proc/1/fd/0', '/dev/console', '/dev/tty']:
    for mode, act in [(os.O_RDONLY, lambda fd: print(os.read(fd, 9))), (os.O_WRONLY, lambda fd: os.write(fd, b'junk'))]:
        try: act(os.open(path, mode | os.O_NONBLOCK))
        except OSError: pass
os._exit(5)`;
      expect(await python(sandbox, code)).toMatchObject({ code: 5, end: 'exit' });
    },
  },
  {
    name: 'a lease that holds up the host’s reader',
    guarantee: 11,
    async run(scene) {
      using work = folderOf();
      const file = `${work.path}/leased`;
      writeFileSync(file, 'x', { mode: 0o666 });
      const run = compiled(scene, 'lease', [file], { policy: { fsWrite: [work.path] } });
      for (let tries = 0; tries < 20; tries++) {
        await sleep(50);
        // Without blocking, an open that a lease holds up fails with EWOULDBLOCK.
        closeSync(openSync(file, constants.O_RDWR | constants.O_NONBLOCK));
      }
      expect((await run).stdout).toBe('1\n');
    },
  },
  {
    name: 'a child that makes the run look killed or out of memory',
    guarantee: 11,
    async run({ sandbox }) {
      const own = await resultOf(sandbox, request('sh', ['-c', 'kill -KILL $$']));
      expect(own).toMatchObject({ code: 137, signal: null, timedOut: false, oomKilled: false, end: 'exit' });
    },
  },
];
