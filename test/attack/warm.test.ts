import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { folderOf } from './attack.js';
import { type Onlooker, onlooker } from './waiting.js';

/** Leaves whatever can be left outside the writable folder, and goes on to do so behind its own end. */
const LEAVE = `
import ctypes, os, socket, subprocess, sys
for folder in ['/tmp', '/dev/shm', os.environ['HOME']]: open(folder + '/.left', 'w').write('left')
os.symlink('/proc/1', '/tmp/link'); os.mkfifo('/tmp/fifo')
keep = [socket.socket(socket.AF_UNIX), socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)]
keep[0].bind(chr(0) + 'left'); keep[0].listen(); keep[1].bind(('127.0.0.1', 4321)); keep[1].listen()
keep[2].bind(('127.0.0.1', 4322))
from multiprocessing import shared_memory
keep.append(shared_memory.SharedMemory('left', create=True, size=100))
for what in [['-M', '100'], ['-Q'], ['-S', '2']]: subprocess.run(['ipcmk', *what], stdout=subprocess.DEVNULL)
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(248, b'user', b'left', b'left', 4, -4)
for i in range(5):
    if os.fork() == 0:
        os.setsid()
        import time; time.sleep(60)
print('left', flush=True)
os._exit(0)
`;

/** Prints what of all that is there. */
const FIND = `
import os, socket
work = os.environ['WORK']
found = [f'{d}/{n}' for d in ('/tmp', '/dev/shm', os.environ['HOME']) for n in os.listdir(d) if f'{d}/{n}' != work]
for kind in ('shm', 'sem', 'msg'): found += [kind for line in open(f'/proc/sysvipc/{kind}')][1:]
found += [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]
for table in ('unix', 'tcp', 'udp'): found += [table for line in open(f'/proc/net/{table}')][1:]
try: found += [line for line in open('/proc/keys') if 'left' in line]
except OSError: pass
print(found)
`;

/** Nothing of one run, or of what happened while a sandbox waited, reaches the run that gets it. */
describe.each(targets.filter(({ kind }) => kind !== 'bwrap'))('a sandbox that waited, on $name', target => {
  let sandbox: CodeSandbox;
  let hand: Onlooker;
  let work: ReturnType<typeof folderOf>;
  const stats = () => sandbox.selection.backend!.warm!;
  const parts = () => ({ env: { WORK: work.path, PATH: '/usr/bin:/bin' }, policy: { fsWrite: [work.path] } });
  /** Until one waits that is up, and the next run of this test's folder meets it. */
  const untilOneWaits = async () => {
    while (stats().waiting === 0) await python(sandbox, '', parts());
    await expect.poll(async () => (await hand.up()).length, { timeout: 20_000 }).toBeGreaterThan(0);
  };

  beforeAll(async () => {
    hand = await onlooker(target);
  });
  afterAll(() => hand.close());
  beforeEach(async () => {
    work = folderOf();
    sandbox = await createCodeSandbox(configFor(target, { warm: { max: 2, idleSeconds: 60 } }));
    expect(sandbox.backend).toBe(target.kind);
  });
  afterEach(async () => {
    await sandbox.close();
    expect(await hand.left()).toEqual([]);
    work[Symbol.dispose]();
  });

  test('has nothing of the run before: files, processes, memory, queues, keys, sockets and ports', async () => {
    await untilOneWaits();
    for (let round = 0; round < 3; round++) {
      expect(await python(sandbox, LEAVE, parts())).toMatchObject({ stdout: 'left\n', stderr: '' });
      const { hits } = stats();
      expect(await python(sandbox, FIND, parts())).toMatchObject({ stdout: '[]\n', stderr: '' });
      expect(stats().hits).toBe(hits + 1);
    }
  });

  test('counts the run’s time from the run’s own start', async () => {
    await untilOneWaits();
    await sleep(1500);
    const { hits } = stats();
    const result = await shell(sandbox, 'echo on; sleep 30', { ...parts(), timeout: 1000 });
    expect(result).toMatchObject({ signal: 'SIGKILL', stdout: 'on\n', timedOut: true });
    expect(result.durationMs).toBeGreaterThan(900);
    expect(stats().hits).toBe(hits + 1);
  });

  test('is not used for a folder that was replaced while it waited', async () => {
    writeFileSync(`${work.path}/which`, 'old');
    await untilOneWaits();
    const { hits } = stats();
    renameSync(work.path, `${work.path}.old`);
    mkdirSync(work.path);
    writeFileSync(`${work.path}/which`, 'new');
    expect((await shell(sandbox, 'cat which; echo x > here', parts())).stdout).toBe('new');
    expect(stats().hits).toBe(hits);
    expect((await shell(sandbox, 'ls', parts())).stdout).toBe('here\nwhich\n');
    rmSync(`${work.path}.old`, { recursive: true });
  });

  test('does not open a way to a socket that appeared in its folder while it waited', async () => {
    await untilOneWaits();
    const server = createServer().listen(`${work.path}/control.sock`);
    await expect(shell(sandbox, 'ls', parts())).rejects.toThrow(`${work.path}/control.sock`);
    await new Promise(resolve => server.close(resolve));
    expect((await shell(sandbox, 'ls', parts())).stdout).toBe('');
  });

  test('may be killed at any moment: the run is a cold one, and no error', { timeout: 400_000 }, async () => {
    for (let round = 0; round < 20; round++) {
      await untilOneWaits();
      await Promise.all((await hand.up()).map(hand.kill));
      expect((await shell(sandbox, 'echo alive', parts())).stdout).toBe('alive\n');
    }
  });
});
