import { existsSync, lstatSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'vitest';
import { python } from '../support/request.js';
import { type Attack, folderOf, script, uids } from './attack.js';

/** Tries to create a file in every folder that can be seen, also by ways around; prints where it worked. */
const EVERYWHERE = `
import os, sys
name, allowed = sys.argv[1], sys.argv[2:]
def free(path): return any(path == a or path.startswith(a + '/') for a in allowed)
def plant(folder):
    path = folder + '/' + name
    def create(): os.close(os.open(path, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o666))
    def open_and_create(): # its owner may open a closed folder to himself; the kernel's own have modes for the whole host
        mode = os.stat(folder).st_mode & 0o7777
        if '/proc' in folder: return os.stat(path)
        os.chmod(folder, mode | 0o700)
        try: create()
        finally: os.chmod(folder, mode)
    for act in [create, open_and_create]:
        try: act()
        except OSError: continue
        print(folder)
for top in ['', '/proc/self/root', '/proc/1/root', '/proc/self/cwd/../../..']:
    for folder, folders, files in os.walk(top + '/'):
        inside = '/' + folder[len(top):].strip('/')
        deep = inside.count('/') > (1 if top else 6 if inside.startswith('/sys/fs/cgroup') else 3)
        folders[:] = [] if deep else [f for f in folders if not (inside == '/proc' and f.isdigit())]
        if not free(inside): plant(folder)
`;

/** Opens what drives the kernel for writing, without writing; prints what opened. */
const CONTROLS = `
import os
for top in ['/sys', '/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs', '/proc/sysrq-trigger', '/dev/mem', '/dev/kmsg']:
    for folder, folders, files in os.walk(top) if os.path.isdir(top) else [('', [], [top])]:
        for path in [os.path.join(folder, f) for f in files]:
            try: os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
            except OSError: continue
            print(path)
`;

/** Sets the mode of what is in /proc and /sys to what it is, which is harmless; prints where that was let through. */
const MODES = `
import os
for top in ['/proc', '/sys']:
    for folder, folders, files in os.walk(top):
        folders[:] = [] if folder.count('/') > 4 else [f for f in folders if not (folder == '/proc' and f.isdigit())]
        for path in [folder] + [os.path.join(folder, f) for f in files]:
            try: os.chmod(path, os.stat(path).st_mode & 0o7777)
            except OSError: continue
            print(path)
`;

/** Every way to change a file that may only be read. */
const SPOIL = `
import os, sys, mmap
ro, rw = sys.argv[1:]
path = ro + '/file'
def attempt(what, act):
    try: act()
    except (OSError, ValueError): return
    print(what)
def reopened():
    fd = os.open(path, os.O_RDONLY)
    os.write(os.open('/proc/self/fd/%d' % fd, os.O_RDWR), b'x')
def mapped():
    fd = os.open(path, os.O_RDONLY)
    mmap.mmap(fd, 4, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)[0:1] = b'x'
def through_link():
    os.symlink(path, rw + '/link'); open(rw + '/link', 'a').write('x')
def through_hard_link():
    os.link(path, rw + '/hard'); open(rw + '/hard', 'a').write('x')
for prefix in ['', '/proc/self/root', '/proc/1/root']:
    attempt('write ' + prefix, lambda: open(prefix + path, 'a').write('x'))
    attempt('create ' + prefix, lambda: open(prefix + ro + '/new', 'w'))
attempt('truncate', lambda: os.truncate(path, 0))
attempt('chmod', lambda: os.chmod(path, 0o600))
attempt('chown', lambda: os.chown(path, os.getuid(), os.getgid()))
attempt('utime', lambda: os.utime(path, (1, 1)))
attempt('xattr', lambda: os.setxattr(path, 'user.attack', b'x'))
attempt('rename', lambda: os.rename(path, ro + '/other'))
attempt('move out', lambda: os.rename(path, rw + '/other'))
attempt('unlink', lambda: os.unlink(path))
attempt('mkdir', lambda: os.mkdir(ro + '/folder'))
for act in [reopened, mapped, through_link, through_hard_link]: attempt(act.__name__, act)
`;

const HOST_FOLDERS = [
  '/',
  '/usr',
  '/usr/bin',
  '/etc',
  '/var/tmp',
  '/tmp',
  '/run',
  '/dev',
  '/dev/shm',
  '/sys/fs/cgroup',
];

/** A file that anybody may write, as far as its mode goes; `isKept` expects that nobody has changed it. */
export function keptFile(folder: string): { isKept(): void } {
  const file = `${folder}/file`;
  writeFileSync(file, 'kept', { mode: 0o666 });
  const { mode, mtimeMs, uid } = statSync(file);
  return {
    isKept() {
      expect(readFileSync(file, 'utf8')).toBe('kept');
      expect(statSync(file)).toMatchObject({ mode, mtimeMs, nlink: 1, uid });
    },
  };
}

/** Guarantee 1. */
export const writes: Attack[] = [
  ...uids.map(
    (uid): Attack => ({
      name: `a file in every folder there is, as uid ${uid}`,
      guarantee: 1,
      async run({ sandbox }) {
        using work = folderOf(uid);
        const name = `planted-${basename(work.path)}`;
        const parts = { policy: { fsWrite: [work.path] }, timeout: 50_000 };
        const { stdout, code } = await script(sandbox, EVERYWHERE, [name, work.path, '/tmp', '/dev/shm'], parts);
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
        expect(HOST_FOLDERS.filter(folder => existsSync(`${folder}/${name}`))).toEqual([]);
      },
    }),
  ),
  ...uids.map(
    (uid): Attack => ({
      name: `files of /proc, /sys and cgroups opened for writing, as uid ${uid}`,
      guarantee: 1,
      async run({ sandbox }) {
        using work = folderOf(uid);
        const { stdout, code } = await python(sandbox, CONTROLS, { policy: { fsWrite: [work.path] } });
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      },
    }),
  ),
  ...uids.map(
    (uid): Attack => ({
      name: `modes in /proc and /sys, which are the same for the whole host, as uid ${uid}`,
      guarantee: 1,
      async run({ sandbox }) {
        using work = folderOf(uid);
        const { stdout, code } = await python(sandbox, MODES, { policy: { fsWrite: [work.path] } });
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      },
    }),
  ),
  {
    name: 'a file that may only be read, changed in every way',
    guarantee: 1,
    async run({ sandbox }) {
      using open = folderOf();
      using work = folderOf();
      const file = keptFile(open.path);
      const policy = { fsRead: [open.path], fsWrite: [work.path] };
      const { stdout, code } = await script(sandbox, SPOIL, [open.path, work.path], { policy });
      expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
      file.isKept();
      expect(existsSync(`${open.path}/new`)).toBe(false);
    },
  },
  {
    name: 'a readable folder around a writable one',
    guarantee: 1,
    async run({ sandbox }) {
      using outer = folderOf();
      mkdirSync(`${outer.path}/in`);
      const code = `
import os
for path in ['../planted', 'link/planted', '/proc/self/cwd/../planted']:
    try: os.path.exists('link') or os.symlink('..', 'link'); open(path, 'w'); print(path)
    except OSError: pass
try: os.rename('.', '../moved'); print('moved')
except OSError: pass`;
      const policy = { fsRead: [outer.path], fsWrite: [`${outer.path}/in`] };
      expect((await python(sandbox, code, { policy })).stdout).toBe('');
      expect(existsSync(`${outer.path}/planted`)).toBe(false);
    },
  },
  {
    name: 'a readable folder deep in a writable one, by moving what is above it',
    guarantee: 1,
    async run({ sandbox }) {
      using work = folderOf();
      const deep = `${work.path}/a/b/fixed`;
      mkdirSync(deep, { recursive: true });
      const file = keptFile(deep);
      const code = `
import os
for path in ['a', 'a/b', 'a/b/fixed']:
    try: os.rename(path, 'moved'); print('moved', path)
    except OSError: pass
os.makedirs('a/b/fixed', exist_ok=True)
try: open('a/b/fixed/file', 'w').write('forged'); print('written')
except OSError: pass
open('a/b/beside', 'w').write('mine')`;
      const policy = { fsRead: [deep], fsWrite: [work.path] };
      expect(await python(sandbox, code, { policy })).toMatchObject({ code: 0, stdout: '' });
      file.isKept();
      expect(readFileSync(`${work.path}/a/b/beside`, 'utf8')).toBe('mine');
    },
  },
  {
    name: 'a readable folder in a writable one that has a second name, by that name',
    guarantee: 1,
    async run({ sandbox }) {
      using work = folderOf();
      using other = folderOf();
      const fixed = `${work.path}/vendor/fixed`;
      mkdirSync(fixed, { recursive: true });
      const file = keptFile(fixed);
      symlinkSync(work.path, `${other.path}/link`);
      const code = `
import os, sys
for top in sys.argv[1:]:
    try: open(top + '/vendor/fixed/file', 'w').write('forged'); print('written', top)
    except OSError: pass
    try: os.rename(top + '/vendor', top + '/moved'); print('moved', top)
    except OSError: pass
    open(top + '/vendor/beside', 'a').write('mine\\n')`;
      const names = [work.path, `${other.path}/link`];
      const policy = { fsRead: [fixed], fsWrite: [names[1]!] };
      expect(await script(sandbox, code, names, { policy })).toMatchObject({ code: 0, stdout: '' });
      file.isKept();
      expect(readFileSync(`${work.path}/vendor/beside`, 'utf8')).toBe('mine\nmine\n');
    },
  },
  {
    name: 'a link to a file of the host, written through',
    guarantee: 1,
    async run({ sandbox }) {
      using work = folderOf();
      using other = folderOf();
      writeFileSync(`${other.path}/secret`, 'kept');
      const code = `import os, sys
for n, path in enumerate(sys.argv[1:]):
    os.symlink(path, 'link%d' % n)
    try: open('link%d' % n, 'a').write('x'); print(path)
    except OSError: pass`;
      const paths = [`${other.path}/secret`, `${other.path}/new`, '/etc/passwd', '/usr/bin/planted'];
      expect((await script(sandbox, code, paths, { policy: { fsWrite: [work.path] } })).stdout).toBe('');
      expect(readFileSync(`${other.path}/secret`, 'utf8')).toBe('kept');
      expect(existsSync(`${other.path}/new`)).toBe(false);
    },
  },
  {
    name: 'a program executed from shared memory',
    guarantee: 1,
    needs: 'noexec',
    async run({ sandbox }) {
      const code = `import shutil, subprocess
shutil.copy('/bin/true', '/dev/shm/true')
try: subprocess.run(['/dev/shm/true']); print('ran')
except PermissionError: pass`;
      expect((await python(sandbox, code)).stdout).toBe('');
    },
  },
  {
    name: 'the kernel’s file systems, /tmp and shared memory filled beyond their size',
    guarantee: 1,
    async run({ sandbox }) {
      const code = `
for folder, most in [('/tmp', 9), ('/dev/shm', 5)]:
    try:
        with open(folder + '/fill', 'wb', buffering=0) as file:
            for n in range(most): file.write(bytes(1 << 20))
        print(folder, 'took', most)
    except OSError as error: assert error.errno == 28, error`;
      expect((await python(sandbox, code)).stdout).toBe('');
    },
  },
  {
    name: 'files that belong to somebody else, or that anybody may write',
    guarantee: 8,
    async run({ sandbox }) {
      using work = folderOf(uids.at(-1));
      const code = `import os
open('made', 'w'); os.mkdir('folder')
for uid in (0, 1, 65534):
    try: os.chown('made', uid if uid != os.getuid() else uid + 2, -1); print('given away to', uid)
    except OSError: pass`;
      const result = await python(sandbox, code, { policy: { fsWrite: [work.path] } });
      expect(result).toMatchObject({ code: 0, stdout: '' });
      for (const name of ['made', 'folder']) {
        const { uid, gid, mode } = lstatSync(`${work.path}/${name}`);
        expect({ uid, gid, open: mode & 0o022 }).toEqual({ uid: uids.at(-1), gid: statSync(work.path).gid, open: 0 });
      }
    },
  },
];
