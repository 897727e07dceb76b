import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { python, shell } from '../support/request.js';
import { type Attack, folderOf, script, underWay } from './attack.js';

/** Leaves whatever can be left outside the writable folder. */
const LEAVE = `
import os, socket, subprocess
for folder in ['/tmp', '/dev/shm', os.environ['HOME']]: open(folder + '/file', 'w').write('left')
os.memfd_create('left')
s = socket.socket(socket.AF_UNIX); s.bind(chr(0) + 'left'); s.listen()
from multiprocessing import shared_memory
m = shared_memory.SharedMemory('left', create=True, size=100)
subprocess.run(['ipcmk', '-M', '100'], stdout=subprocess.DEVNULL)
if os.fork() == 0:
    os.setsid()
    import time; time.sleep(60)
os._exit(0)
`;

const FIND = `
import glob, os, socket
found = [p for p in glob.glob('/tmp/*') if not os.path.ismount(p)] + glob.glob('/dev/shm/*') + glob.glob(os.environ['HOME'] + '/.*')
found += [line for line in open('/proc/sysvipc/shm')][1:]
found += [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]
try: socket.socket(socket.AF_UNIX).connect(chr(0) + 'left'); found.append('socket')
except OSError: pass
print(found)
`;

/** Hands a descriptor of a file that only this run may read to whoever listens. */
const SEND = `import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect('meet')
socket.send_fds(s, [b'x'], [os.open(sys.argv[1], os.O_RDONLY)]); s.recv(1)`;
const RECEIVE = `import os, socket, sys
s = socket.socket(socket.AF_UNIX); s.bind('meet'); s.listen(); open('ready', 'w').close()
c, _ = s.accept(); _, fds, _, _ = socket.recv_fds(c, 1, 1); print(os.read(fds[0], 100).decode()); c.send(b'x')`;

/** Whether this process, and so the sandbox in it, has a folder open. */
function isHeld(folder: string): boolean {
  return readdirSync('/proc/self/fd').some(fd => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === folder;
    } catch {
      return false;
    }
  });
}

/** What one run may do to another. */
export const neighbours: Attack[] = [
  {
    name: 'what one run leaves for the next',
    guarantee: 1,
    async run({ sandbox }) {
      using work = folderOf();
      const parts = { policy: { fsWrite: [work.path] } };
      expect((await python(sandbox, LEAVE, parts)).stderr).toBe('');
      expect((await python(sandbox, FIND, parts)).stdout).toBe('[]\n');
    },
  },
  {
    name: 'a run beside it: its processes, memory and sockets',
    guarantee: 4,
    async run({ sandbox }) {
      const stays = 'import time; print("on", flush=True); time.sleep(1.2)';
      const { result } = await underWay(sandbox, LEAVE.replace('os._exit(0)', stays));
      expect((await python(sandbox, FIND)).stdout).toBe('[]\n');
      expect((await result).stdout).toBe('on\n');
    },
  },
  {
    name: 'a link that one run plants for the next one’s folder',
    guarantee: 9,
    async run({ sandbox }) {
      using work = folderOf();
      using secret = folderOf();
      writeFileSync(`${secret.path}/secret`, 'secret');
      await shell(sandbox, `ln -s ${secret.path} planted`, { policy: { fsWrite: [work.path] } });
      expect(existsSync(`${work.path}/planted/secret`)).toBe(true);
      const next = script(sandbox, 'print(open("secret").read())', [], {
        policy: { fsWrite: [work.path, `${work.path}/planted`] },
      });
      await expect(next).rejects.toThrow(/passes through the symbolic link/);
    },
  },
  {
    name: 'a folder that is swapped for a link while the sandbox is made',
    guarantee: 9,
    async run({ sandbox }) {
      using work = folderOf();
      using secret = folderOf();
      writeFileSync(`${secret.path}/secret`, 'secret');
      const folder = `${work.path}/folder`;
      // From the moment at which the checked folder is held open, at several points of the way to the start.
      for (const delay of [0, 10, 30, 60]) {
        mkdirSync(folder);
        const run = shell(sandbox, 'cat secret; echo planted > new', { policy: { fsWrite: [folder] } });
        while (!isHeld(folder)) await nextTick();
        await sleep(delay);
        rmSync(folder, { recursive: true });
        symlinkSync(secret.path, folder);
        const outcome = await run.then(
          result => result.stdout,
          error => error.name,
        );
        expect(['', 'InvalidRequest', 'BackendUnavailable']).toContain(outcome);
        expect(existsSync(`${secret.path}/new`)).toBe(false);
        rmSync(folder, { recursive: true });
      }
    },
  },
  {
    // Not promised, and docs/security.md says so: runs that share a writable folder add up their rights.
    name: 'descriptors handed over through a shared folder: as documented, and only there',
    guarantee: 4,
    async run({ sandbox }) {
      using shared = folderOf();
      using secret = folderOf();
      writeFileSync(`${secret.path}/secret`, 'secret');
      const policy = { fsWrite: [shared.path] };
      const receiver = python(sandbox, RECEIVE, { policy, timeout: 15_000 });
      const wide = { fsWrite: [shared.path], fsRead: [secret.path] };
      const started = script(
        sandbox,
        `import os, time
while not os.path.exists('ready'): time.sleep(0.01)
${SEND}`,
        [`${secret.path}/secret`],
        { policy: wide, timeout: 15_000 },
      );
      const [received, sent] = await Promise.allSettled([receiver, started]);
      // Once somebody listens there, the policy refuses the folder to a run that comes later.
      if (sent.status === 'rejected') expect(sent.reason.message).toMatch(/holds the socket/);
      else expect(received).toMatchObject({ value: { stdout: 'secret\n' } });
    },
  },
];
