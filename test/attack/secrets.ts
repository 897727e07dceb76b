import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { expect } from 'vitest';
import { python } from '../support/request.js';
import { type Attack, folderOf, script, underWay } from './attack.js';

/** Everything in /proc that could tell a secret; prints it all. */
const PRY = `
import glob
for path in sorted(glob.glob('/proc/[0-9]*/environ') + glob.glob('/proc/[0-9]*/cmdline')):
    try: print(path, open(path, 'rb').read().replace(bytes(1), b' ').decode('utf8', 'replace'))
    except OSError: pass
`;

/** Looks for the nonce in the supervisor's memory, by which a result could be forged. */
const FORGE = `
import os, sys
def attempt(path, act):
    try: act(path)
    except OSError: return
    print(path)
read = lambda path: open(path, 'rb').read(1)
for name in ['environ', 'mem', 'maps', 'stack', 'syscall', 'auxv', 'pagemap', 'smaps', 'io', 'personality']:
    attempt('/proc/1/' + name, read)
for name in ['exe', 'cwd', 'root', 'fd/0', 'fd/1', 'ns/net']: attempt('/proc/1/' + name, os.readlink)
attempt('/proc/1/map_files', os.listdir)
`;

/** What the processes of this host, not those in sandboxes, show to everybody who may look. */
function hostProcesses(): Array<{ name: string; shown: string }> {
  const own = readlinkSync('/proc/self/ns/pid');
  return readdirSync('/proc').flatMap(pid => {
    try {
      if (!/^\d+$/.test(pid) || readlinkSync(`/proc/${pid}/ns/pid`) !== own) return [];
      const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'latin1');
      return [{ name: read('comm').trim(), shown: read('cmdline') + read('environ') }];
    } catch {
      return []; // it ended, or belongs to somebody else
    }
  });
}

/** Guarantees 3 and 4. */
export const secrets: Attack[] = [
  {
    name: 'values of the host in any environment or command line',
    guarantee: 3,
    async run({ sandbox }) {
      const secret = randomBytes(12).toString('hex');
      process.env.ATTACK_HOST_SECRET = secret;
      try {
        const { stdout } = await python(sandbox, PRY, { env: { MINE: 'visible' } });
        expect(stdout).not.toContain(secret);
        const [own, ...others] = stdout.match(/^\/proc\/\d+\/environ .*$/gm)!.filter(line => !/environ *$/.test(line));
        expect(others, 'environments beside the program’s own').toEqual([]);
        const names = own!.split(' ').flatMap(entry => /^(\w+)=/.exec(entry)?.[1] ?? []);
        const fixed = ['HOME', 'HOSTNAME', 'LANG', 'LOGNAME', 'PATH', 'TMPDIR', 'USER'];
        expect(names.sort()).toEqual([...fixed, 'MINE'].sort());
      } finally {
        delete process.env.ATTACK_HOST_SECRET;
      }
    },
  },
  {
    name: 'processes that are not the run’s own',
    guarantee: 4,
    async run({ sandbox }) {
      const code = 'import os; print(sorted(int(p) for p in os.listdir("/proc") if p.isdigit()) == [1, os.getpid()])';
      expect((await python(sandbox, code)).stdout).toBe('True\n');
    },
  },
  {
    name: 'a request’s values in the host’s list of processes',
    guarantee: 3,
    async run({ sandbox }) {
      const secret = randomBytes(12).toString('hex');
      const code = 'import time; print("on", flush=True); time.sleep(0.7)';
      const { result } = await underWay(sandbox, code, [secret], { env: { SECRET: secret } });
      const seen = hostProcesses();
      await result;
      expect(seen.filter(({ shown }) => shown.includes(secret)).map(({ name }) => name)).toEqual([]);
    },
  },
  {
    name: 'the supervisor’s memory, environment and descriptors',
    guarantee: 10,
    async run({ sandbox }) {
      using work = folderOf();
      expect((await python(sandbox, FORGE)).stdout).toBe('');
      expect((await python(sandbox, FORGE, { policy: { fsWrite: [work.path] } })).stdout).toBe('');
    },
  },
  {
    name: 'the host’s names and resolver',
    guarantee: 4,
    async run({ sandbox }) {
      const code = `import os, socket
for name in ['hosts', 'hostname', 'resolv.conf']: print(open('/etc/' + name).read())
print(socket.gethostname(), os.uname().nodename)`;
      const { stdout } = await python(sandbox, code);
      const resolvers = [...readFileSync('/etc/resolv.conf', 'utf8').matchAll(/^nameserver (\S+)/gm)].map(
        ([, a]) => a!,
      );
      for (const told of [hostname(), ...resolvers]) expect(stdout).not.toContain(told);
      expect(stdout).not.toMatch(/^nameserver/m);
      expect(stdout).toMatch(/sandbox sandbox\n$/);
    },
  },
  {
    name: 'files of the host that were not given: shadow, keys, homes, the service’s own folder',
    guarantee: 4,
    async run({ sandbox }) {
      using other = folderOf();
      const paths = ['/etc/shadow', '/etc/ssh', '/root', '/home', '/var/log', '/boot', other.path, process.cwd()];
      const code = `import os, sys
for prefix in ['', '/proc/self/root', '/proc/1/root', '/proc/1/cwd']:
    for path in sys.argv[1:]:
        try: print(path, os.listdir(prefix + path) if os.path.isdir(prefix + path) else open(prefix + path).read())
        except OSError: pass`;
      const { stdout } = await script(sandbox, code, paths);
      expect(stdout.replace(/^\S+ \[\]\n/gm, '')).toBe('');
    },
  },
  {
    name: 'the kernel’s memory, keys and log, and the engine’s cgroup path',
    guarantee: 4,
    async run({ sandbox }) {
      using work = folderOf();
      const code = `
for path in ['/proc/kcore', '/proc/keys', '/dev/mem', '/dev/kmem', '/dev/kmsg', '/proc/kmsg', '/proc/timer_list',
             '/proc/sched_debug', '/sys/firmware/dmi/tables/DMI', '/sys/kernel/debug/x', '/proc/vmcore']:
    try:
        if open(path, 'rb').read(16): print(path)
    except OSError: pass
for line in open('/proc/self/cgroup'):
    path = line.rstrip().split(':', 2)[2]
    # Names that the sandbox made itself tell nothing of the host.
    if path != '/' and not path.startswith('/code-sandbox-'): print(line)`;
      expect((await python(sandbox, code, { policy: { fsWrite: [work.path] } })).stdout).toBe('');
    },
  },
  {
    name: 'shared memory of the host',
    guarantee: 4,
    async run({ sandbox }) {
      const made = execFileSync('ipcmk', ['--shmem', '4096', '--mode', '0666']).toString();
      const id = /\d+/.exec(made)![0];
      try {
        const { stdout } = await python(sandbox, 'print(open("/proc/sysvipc/shm").read().count("\\n"))');
        expect(stdout).toBe('1\n');
      } finally {
        execFileSync('ipcrm', ['--shmem-id', id]);
      }
    },
  },
];
