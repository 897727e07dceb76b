import { execFileSync } from 'node:child_process';
import { chmodSync, closeSync, copyFileSync, lstatSync, openSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { python, request, resultOf } from '../support/request.js';
import { type Attack, compiled, folderOf, uids } from './attack.js';

/** What a program is born with. */
const STATUS = `
import os, resource
status = dict(line.split(':', 1) for line in open('/proc/self/status'))
for name in ['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb']: print(name, int(status[name], 16))
print('NoNewPrivs', status['NoNewPrivs'].strip(), 'Seccomp', status['Seccomp'].strip())
print('groups', len(os.getgroups()) <= 1)
print('files', sorted(f for f in os.listdir('/proc/self/fd') if os.path.exists('/proc/self/fd/' + f)))
print('core', resource.getrlimit(resource.RLIMIT_CORE), 'nofile', resource.getrlimit(resource.RLIMIT_NOFILE)[1] <= 4096)
`;

/** Guarantees 8 and 10. */
export const privilege: Attack[] = [
  ...uids.map(
    (uid): Attack => ({
      name: `a file with the setuid or setgid bit, as uid ${uid}`,
      guarantee: 8,
      async run(scene) {
        using work = folderOf(uid);
        const policy = { fsWrite: [work.path] };
        expect(await compiled(scene, 'bits', [], { policy, cwd: work.path })).toMatchObject({ stderr: '' });
        const names = readdirSync(work.path);
        expect(names.length).toBeGreaterThan(8);
        expect(names.filter(name => lstatSync(`${work.path}/${name}`).mode & 0o6000)).toEqual([]);
      },
    }),
  ),
  {
    name: 'a setuid root program in a readable folder',
    guarantee: 10,
    needs: 'root',
    async run({ sandbox, programs }) {
      using tools = folderOf();
      copyFileSync(`${programs}/whoami`, `${tools.path}/whoami`);
      chmodSync(`${tools.path}/whoami`, 0o6755);
      const run = request(`${tools.path}/whoami`, [], { policy: { fsRead: [tools.path] } });
      const [real, effective, saved] = (await resultOf(sandbox, run)).stdout.trim().split(' ');
      expect({ effective, saved }).toEqual({ effective: real, saved: real });
      expect(real).not.toBe('0');
    },
  },
  {
    name: 'files of other users, as uid 0 without capabilities',
    guarantee: 10,
    needs: 'root',
    async run({ sandbox }) {
      using work = folderOf(0);
      execFileSync('sh', ['-c', 'echo secret > closed && chmod 600 closed && chown 12345:12345 closed'], {
        cwd: work.path,
      });
      const code = `import os
for act in [lambda: open('closed').read(), lambda: open('closed', 'a').write('x'), lambda: os.chmod('closed', 0o666),
            lambda: os.chown('closed', 0, 0), lambda: os.setuid(12345), lambda: os.setgroups([42]),
            lambda: os.chroot('.'), lambda: os.nice(-5)]:
    try: print(act())
    except OSError: pass`;
      expect((await python(sandbox, code, { policy: { fsWrite: [work.path] } })).stdout).toBe('');
      expect(lstatSync(`${work.path}/closed`)).toMatchObject({ uid: 12_345, size: 7 });
    },
  },
  {
    name: 'a device node of the host in a readable or a writable folder, or made inside',
    guarantee: 10,
    needs: 'root',
    async run({ sandbox }) {
      using tools = folderOf();
      using work = folderOf(0);
      // That of FUSE: it needs no capability and is on no engine's list of its own; opened, it does nothing.
      for (const { path } of [tools, work]) execFileSync('mknod', ['-m', '666', `${path}/node`, 'c', '10', '229']);
      expect(() => closeSync(openSync(`${tools.path}/node`, 'r'))).not.toThrow();
      const code = `import os, stat
def attempt(act):
    try: act(); print('opened')
    except OSError: pass
attempt(lambda: os.open('${tools.path}/node', os.O_RDONLY))
attempt(lambda: os.open('node', os.O_RDONLY))
attempt(lambda: os.mknod('made', stat.S_IFCHR | 0o666, os.makedev(1, 3)))
attempt(lambda: os.mknod('disk', stat.S_IFBLK | 0o666, os.makedev(7, 0)))`;
      const policy = { fsRead: [tools.path], fsWrite: [work.path] };
      expect((await python(sandbox, code, { policy })).stdout).toBe('');
    },
  },
  ...uids.map(
    (uid): Attack => ({
      name: `capabilities, descriptors and limits that a program is born with, as uid ${uid}`,
      guarantee: 10,
      async run({ sandbox }) {
        using work = folderOf(uid);
        const { stdout } = await python(sandbox, STATUS, { policy: { fsWrite: [work.path] } });
        expect(stdout.trim().split('\n')).toEqual([
          ...['CapInh 0', 'CapPrm 0', 'CapEff 0', 'CapBnd 0', 'CapAmb 0'],
          expect.stringMatching(/^NoNewPrivs 1 Seccomp 2$/),
          'groups True',
          "files ['0', '1', '2']",
          expect.stringMatching(/^core \((0, 0|1, 1)\) nofile True$/),
        ]);
      },
    }),
  ),
  {
    name: 'a core dump in a writable folder',
    guarantee: 10,
    async run({ sandbox }) {
      using work = folderOf(uids.at(-1));
      const code = `import os, resource
try: resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20))
except (OSError, ValueError): pass
os.abort()`;
      expect(await python(sandbox, code, { policy: { fsWrite: [work.path] } })).toMatchObject({ code: 134 });
      expect(readdirSync(work.path)).toEqual([]);
    },
  },
  {
    name: 'what the host typed: stdin',
    guarantee: 10,
    async run({ sandbox }) {
      const result = await python(sandbox, 'import sys; print(repr(sys.stdin.read()), sys.stdin.isatty())', {
        timeout: 3000,
      });
      expect(result).toMatchObject({ code: 0, stdout: "'' False\n" });
    },
  },
  {
    name: 'more open files than the limit',
    guarantee: 10,
    async run({ sandbox }) {
      const code = `import os, resource
try: resource.setrlimit(resource.RLIMIT_NOFILE, (6000, 6000)); print('raised')
except (OSError, ValueError): pass
try:
    for _ in range(5000): os.dup(0)
    print('opened')
except OSError: pass`;
      expect((await python(sandbox, code)).stdout).toBe('');
    },
  },
];
