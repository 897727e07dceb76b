import { execFileSync } from 'node:child_process';
import { createReadStream, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { ProcessService } from '../../src/aalis.js';
import { createLocalProcess } from '../../src/launcher/process.js';
import { RootStore } from '../../src/roots/store.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { python, request, resultOf, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { archiveOf } from '../unit/roots/archive.js';

const target = targets.find(({ kind }) => kind === 'oci');
const local = createLocalProcess();

/** A host whose runtimes are this shell program. */
function hostWith(program: string): ProcessService {
  const is = (cmd: string) => cmd === 'crun' || cmd === 'runc';
  // Limits begin with a command of their own, so the runtime stands anywhere in the line.
  const swap = (cmd: string, args: readonly string[]): [string, string[]] => {
    const line = [cmd, ...args];
    const at = line.findIndex(is);
    return at === -1 ? [cmd, [...args]] : ['sh', ['-c', program, ...line.slice(at)]];
  };
  return {
    spawn: (cmd, args, options) => local.spawn(...swap(cmd, args), options),
    execFile: (cmd, args, options) => local.execFile(...swap(cmd, args), options),
  };
}

const VERSION = 'if [ "$1" = --version ]; then echo "$0 version 1.9.0"; exit; fi;';

describe.skipIf(!target)('a host that cannot', () => {
  test.each([
    ['has no runtime', 'exit 127', /OCI runtime crun: crun does not work.*OCI runtime runc: runc does not work/],
    ['has old ones', 'echo "$0 version 0.17"', /crun 0\.17 is too old.*runc 0\.17 is too old/],
    [
      'has no user namespaces',
      `${VERSION} echo 'unshare: No space left on device' >&2; exit 1`,
      /crun cannot make a container.*max_user_namespaces/,
    ],
    [
      'mounts cgroups v1 and v2 at once',
      `${VERSION} echo 'cgroups in hybrid mode not supported, drop all controllers from cgroup v2' >&2; exit 1`,
      /mount -t cgroup -o hugetlb/,
    ],
  ])('%s: nothing runs, and why is said', async (_, program, why) => {
    await using sandbox = await createCodeSandbox(configFor(target!), { process: hostWith(program) });
    expect(sandbox.available).toBe(false);
    expect(sandbox.backend).toMatch(why);
    await expect(sandbox.run(request('true', []))).rejects.toMatchObject({ name: 'BackendUnavailable' });
  });

  test('a runtime that is not driven directly is named', async () => {
    await using sandbox = await createCodeSandbox(configFor(target!, { engine: { runtime: 'runsc' } }));
    expect(sandbox.backend).toMatch(/runsc is not driven directly, only crun and runc are/);
  });
});

describe.skipIf(!target)('runc in the place of crun', () => {
  test('does the same', async () => {
    using work = workspace();
    const limits = { memoryMiB: 64 };
    await using sandbox = await createCodeSandbox(configFor(target!, { engine: { runtime: 'runc' }, limits }));
    const parts = { policy: { fsWrite: [work.path] } };
    expect(await shell(sandbox, 'echo out; echo x > made; exit 3', parts)).toMatchObject({ code: 3, stdout: 'out\n' });
    expect(await shell(sandbox, 'sleep 30', { timeout: 500 })).toMatchObject({ signal: 'SIGKILL', timedOut: true });
    if (target!.weak) return;
    const full = await python(sandbox, 'x = bytearray(1 << 28)');
    expect(full).toMatchObject({ code: 137, end: 'memory', oomKilled: true });
  });
});

describe.skipIf(!target)('a root in the store', () => {
  const before = process.env.XDG_CACHE_HOME;
  afterEach(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  });
  const config = () => configFor(target!, { root: { image: 'tools:1' } });
  const busybox = () => archiveOf([{ name: 'bin/none', mode: 0o755, content: '' }]);

  test('that is missing, or broken: nothing runs, and why is said', async () => {
    using work = workspace();
    process.env.XDG_CACHE_HOME = work.path;
    {
      await using sandbox = await createCodeSandbox(config());
      expect(sandbox.backend).toMatch(/The root store has no tools:1.*images unpack tools:1/);
    }
    const { folder } = await new RootStore().add(busybox(), { name: 'tools:1', path: ['/bin'] });
    rmSync(join(folder, 'bin/none'));
    await using sandbox = await createCodeSandbox(config());
    expect(sandbox.backend).toMatch(/is broken: it is not what was unpacked/);
  });

  test.skipIf(process.getuid!() !== 0)('on a disk that is full: the reason, and nothing left', async () => {
    using work = workspace();
    const disk = join(work.path, 'disk');
    mkdirSync(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
    try {
      const store = new RootStore(join(disk, 'roots'));
      const big = archiveOf([{ name: 'big', content: 'x'.repeat(1 << 20) }]);
      const adding = store.add(big, { name: 'big:1', path: [] });
      await expect(adding).rejects.toThrow(/the disk that holds .* is full \(ENOSPC\); make room/);
      await expect(adding).rejects.toMatchObject({ name: 'BackendUnavailable' });
      expect(readdirSync(store.folder)).toEqual([]);
    } finally {
      execFileSync('umount', [disk]);
    }
  });

  test('of the host’s own shell runs what it holds, in a folder that it lacks', {
    timeout: 120_000,
  }, async () => {
    using work = workspace();
    process.env.XDG_CACHE_HOME = join(work.path, 'cache');
    const archive = join(work.path, 'root.tar');
    execFileSync('tar', ['-C', '/', '-cf', archive, 'bin', 'lib', 'lib64', ...shellFiles()]);
    await new RootStore().add(createReadStream(archive), { name: 'tools:1', path: ['/usr/bin'] });
    await using sandbox = await createCodeSandbox(config());
    expect(sandbox.backend).toBe('oci');
    const folder = join(work.path, 'work');
    mkdirSync(folder);
    const result = await resultOf(
      sandbox,
      request('sh', ['-c', 'pwd; echo x > made'], { policy: { fsWrite: [folder] } }),
    );
    expect(result).toMatchObject({ code: 0, stdout: `${folder}\n` });
    expect(result.image).toMatch(/^[0-9a-f]{64}$/);
  });
});

/** The shell with the libraries that it needs, each under its own name and under the one that leads to it. */
function shellFiles(): string[] {
  const libraries = [
    ...execFileSync('ldd', ['/bin/sh'])
      .toString()
      .matchAll(/(\/\S+\.so\S*)/g),
  ].map(([path]) => path);
  const files = ['/usr/bin/sh', ...libraries.map(path => (path.startsWith('/usr/') ? path : `/usr${path}`))];
  const real = files.map(path => realpathSync(path));
  return [...new Set([...files, ...real])].map(path => path.slice(1));
}
