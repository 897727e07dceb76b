import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findFolder } from '../../../src/policy/folders.js';
import { surveyHost } from '../../../src/policy/hazards.js';
import type { HostView } from '../../../src/policy/host.js';
import { nodeHost } from '../../../src/policy/node-host.js';
import { type PolicyFacts, prepareRun } from '../../../src/policy/prepare.js';
import { BackendUnavailable, InvalidRequest } from '../../../src/sandbox/errors.js';
import { HOST } from './inside.js';

const MIB = 2 ** 20;
const limits = {
  timeoutMs: 60_000,
  memoryBytes: 512 * MIB,
  pids: 128,
  tmpBytes: 256 * MIB,
  shmBytes: 128 * MIB,
  outputBytes: 10 * MIB,
  fileBytes: 2048 * MIB,
  diskFloorBytes: 0,
  cpus: 0,
};
const own = { uid: process.getuid!(), gid: process.getgid!(), groups: process.getgroups!() };

let home: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), 'policy ')));
});
afterEach(() => rm(home, { recursive: true }));

async function facts(part: Partial<PolicyFacts> = {}): Promise<PolicyFacts> {
  return {
    config: { limits, maxTimeoutMs: 3_600_000, sockets: 'refuse', rootFolders: 'allow' },
    host: nodeHost,
    hazards: await surveyHost(nodeHost),
    root: HOST,
    service: own,
    engine: { rootless: false },
    ...part,
  };
}
const request = (fsWrite: string[], part: object = {}) => ({
  cmd: 'python3',
  args: ['a.py'],
  policy: { fsRead: [], fsWrite, network: 'deny' },
  ...part,
});
async function prepare(fsWrite: string[], part: object = {}, more: Partial<PolicyFacts> = {}) {
  const prepared = await prepareRun(request(fsWrite, part), await facts(more));
  await prepared.release();
  return prepared;
}
const openFiles = async () => (await readdir('/proc/self/fd')).length;

test("Aalis's default layout is one writable mount, proven by its identity", async () => {
  await mkdir(join(home, '.tmp/x'), { recursive: true });
  const policy = { fsRead: [home], fsWrite: [home, join(home, '.tmp/x')], network: 'deny' };
  const env = { PATH: '/root/.pyenv/shims:/usr/bin', LANG: 'C', TERM: undefined };
  const { plan, program } = await prepare([], { policy, cwd: home, env, timeout: 1000 });
  const { identity } = (await nodeHost.lstat(home))!;
  expect(plan.mounts).toEqual([{ source: home, target: home, mode: 'rw', identity }]);
  expect(program.mounts).toEqual([{ ...identity, path: home }]);
  expect(program).toMatchObject({ argv: ['python3', 'a.py'], cwd: home, deadlineMs: 1000, stdin: false });
  expect(program.env.slice(0, 2)).toEqual([
    ['PATH', '/usr/bin:/bin'],
    ['LANG', 'C'],
  ]);
  expect(plan.limits.timeoutMs).toBe(1000);
});

test('equal requests make equal plans', async () => {
  const [first, second] = [await prepare([home]), await prepare([home])];
  expect(second.plan).toEqual(first.plan);
});

test.each(['a:b', 'a,b', 'a"b', 'a\nb', "a'b\\c", 'é 日本 😀', '-x', '$(id)', ' ', 'x'.repeat(255)])(
  'a folder may be called %j',
  async name => {
    const path = join(home, name);
    await mkdir(path);
    expect((await prepare([path])).plan.mounts[0]!.source).toBe(path);
  },
);

test('folders are held until release, and never after a refusal', async () => {
  const before = await openFiles();
  const prepared = await prepareRun(request([home]), await facts());
  expect(await openFiles()).toBe(before + 1);
  await prepared.release();
  await prepared.release();
  expect(await openFiles()).toBe(before);
  await expect(prepare([home, join(home, 'missing')])).rejects.toThrow(InvalidRequest);
  await expect(prepare([home], { cmd: '/opt/ruby' })).rejects.toThrow(InvalidRequest);
  expect(await openFiles()).toBe(before);
});

test('for want of descriptors it is the host that is at fault, and nothing stays open', async () => {
  const before = await openFiles();
  const short = async () => {
    throw Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  };
  const hold = async (path: string) => {
    await setTimeout(50);
    return nodeHost.hold(path);
  };
  const given = { ...(await facts()), host: { ...nodeHost, hold, readText: short } };
  await expect(prepareRun(request([home]), given)).rejects.toThrow(BackendUnavailable);
  await expect.poll(openFiles).toBe(before);
});

describe('refused', () => {
  test('a folder that is missing, and it stays missing', async () => {
    await expect(prepare([join(home, 'typo')])).rejects.toThrow(
      /typo" \(policy.fsWrite\) cannot be used: it does not exist/,
    );
    expect(await readdir(home)).toEqual([]);
  });

  test('a file', async () => {
    await writeFile(join(home, 'file'), '');
    await expect(prepare([join(home, 'file')])).rejects.toThrow(/is a file, not a folder/);
    await expect(prepare([join(home, 'file/x')])).rejects.toThrow(/file" is not a folder/);
  });

  test.each([
    '/',
    '/usr',
    '/etc/..',
    '/proc/self/root',
    '/proc/self/cwd',
    '/run',
    '/tmp/',
    '/var/run',
    '/bin',
    '/lib',
    '/.sandbox',
    '/dev/shm',
  ])('%s', async path => {
    await expect(prepare([], { policy: { fsRead: [path], fsWrite: [], network: 'deny' } })).rejects.toThrow(
      InvalidRequest,
    );
  });

  test('a link that lies where code may write, now or earlier', async () => {
    const ws = join(home, 'ws');
    await mkdir(ws);
    await mkdir(join(home, 'secret'));
    await symlink('../secret', join(ws, 'out'));
    await expect(prepare([ws, join(ws, 'out')])).rejects.toThrow(/passes through the symbolic link ".*ws\/out"/);
    const alone = prepare(
      [],
      { policy: { fsRead: [join(ws, 'out')], fsWrite: [], network: 'deny' } },
      { planted: [ws] },
    );
    await expect(alone).rejects.toThrow(/lies where code may write/);
  });

  test('a folder in which a program listens, with the path of its socket', async () => {
    const server = createServer().listen(join(home, 'app.sock'));
    try {
      await expect(prepare([home])).rejects.toThrow(/holds the socket ".*app.sock"/);
      const { config } = await facts();
      await prepare([home], {}, { config: { ...config, sockets: 'allow' } });
    } finally {
      await new Promise(resolve => server.close(resolve));
    }
    await prepare([home]);
  });

  test('a cwd that is missing, and it stays missing', async () => {
    await expect(prepare([home], { cwd: join(home, 'no') })).rejects.toThrow(/\(cwd\) cannot be used/);
    expect(await readdir(home)).toEqual([]);
  });

  test('what the host itself fails at, as an InvalidRequest all the same', async () => {
    const broken: HostView = { ...nodeHost, readText: () => Promise.reject(new Error('no /proc')) };
    await expect(prepare([home], {}, { host: broken })).rejects.toThrow(/cannot be checked: no \/proc/);
  });
});

test.each(['real-moved', 'r'])('a link elsewhere is resolved, and both names lead to the folder: %s', async link => {
  await mkdir(join(home, 'real'));
  await symlink('real', join(home, link));
  const { plan, program } = await prepare([join(home, link)]);
  expect(plan.mounts.map(({ source, target }) => [source, target])).toEqual(
    expect.arrayContaining([
      [join(home, 'real'), join(home, 'real')],
      [join(home, 'real'), join(home, link)],
    ]),
  );
  expect(plan.mounts).toHaveLength(2);
  expect(program.cwd).toBe(join(home, 'real'));
});

test.each([
  ['a folder above it', 'parent', 'secret'],
  ['the folder itself', 'parent/ws', '../secret/ws'],
])('%s that becomes a link while it is being checked is noticed', async (_, moved, target) => {
  const parent = join(home, 'parent');
  await mkdir(join(parent, 'ws'), { recursive: true });
  await mkdir(join(home, 'secret/ws'), { recursive: true });
  const swapping: HostView = {
    ...nodeHost,
    async hold(path) {
      await rename(join(home, moved), join(home, 'aside'));
      await symlink(target, join(home, moved));
      return nodeHost.hold(path);
    },
  };
  const held: Array<{ close(): Promise<void> }> = [];
  const attempt = findFolder(swapping, 'fsWrite', join(parent, 'ws'), 'rw', each => held.push(each));
  await expect(attempt).rejects.toThrow(/was exchanged for something else/);
  await Promise.all(held.map(each => each.close()));
});

describe.runIf(own.uid === 0)('a service that is root', () => {
  test("runs as the writable folder's owner", async () => {
    execFileSync('chown', ['1234:1235', home]);
    expect((await prepare([home])).plan.user).toEqual({ uid: 1234, gid: 1235, groups: [] });
  });

  test('refuses a folder that its owner cannot use, with both uids', async () => {
    await mkdir(join(home, 'closed'));
    execFileSync('chown', ['1234:1235', home]);
    const attempt = prepare([home, join(home, 'closed')]);
    await expect(attempt).rejects.toThrow(/cannot be written by uid 1234.*belongs to uid 0/);
  });

  test('holds a folder that nobody may list', async () => {
    execFileSync('chown', ['1234:1235', home]);
    await chmod(home, 0o700);
    expect((await prepare([home])).plan.user.uid).toBe(1234);
  });

  test('may write in a folder with a mount inside, but not be promised that it is read-only', async () => {
    const point = join(home, 'disk');
    await mkdir(point);
    execFileSync('mount', ['-t', 'tmpfs', 'none', point]);
    try {
      await prepare([home], { policy: { fsRead: [home], fsWrite: [home], network: 'deny' } });
      const reading = { policy: { fsRead: [home], fsWrite: [], network: 'deny' } };
      await expect(prepare([], reading)).rejects.toThrow(/holds a mount of its own on ".*\/disk"/);
      await prepare([], reading, { engine: { rootless: false, readOnlySubmounts: true } });
    } finally {
      execFileSync('umount', [point]);
    }
  });

  test('sees a kernel file system that is mounted inside', async () => {
    const point = join(home, 'p');
    await mkdir(point);
    execFileSync('mount', ['-t', 'proc', 'proc', point]);
    try {
      await expect(prepare([home])).rejects.toThrow(/kernel file system \(proc on ".*\/p"\)/);
    } finally {
      execFileSync('umount', [point]);
    }
  });
});

describe('a command that only an installation beside the system has', () => {
  const install = async (prefix: string) => {
    for (const folder of ['bin', 'include/node', 'lib/node_modules'])
      await mkdir(join(prefix, folder), { recursive: true });
    await writeFile(join(prefix, 'bin/oddnode'), '', { mode: 0o755 });
  };
  test("is found in the request's PATH, and its prefix comes along", async () => {
    const prefix = join(home, '.nvm/versions/node/v22.1.0');
    await install(prefix);
    const { plan, program } = await prepare([], { cmd: 'oddnode', env: { PATH: `/nowhere:${prefix}/bin` } });
    expect(program.argv[0]).toBe(`${prefix}/bin/oddnode`);
    expect(plan.root.mounts).toContainEqual({ source: `${prefix}/bin`, target: `${prefix}/bin`, mode: 'ro' });
  });
  test("is found in the service's own PATH where the request gives none", async () => {
    await install(join(home, 'p'));
    const { program } = await prepare([], { cmd: 'oddnode' }, { searchPath: `relative:${home}/p/bin` });
    expect(program.argv[0]).toBe(`${home}/p/bin/oddnode`);
  });
  test('is not taken from a folder that runs can write', async () => {
    await install(join(home, 'p'));
    const { plan, program } = await prepare([home], { cmd: 'oddnode', env: { PATH: `${home}/p/bin` } });
    expect(program.argv[0]).toBe('oddnode');
    expect(plan.root).toEqual(HOST);
  });
  test('does not come before what the system has', async () => {
    await install(join(home, 'p'));
    await writeFile(join(home, 'p/bin/python3'), '', { mode: 0o755 });
    const { program } = await prepare([], { env: { PATH: `${home}/p/bin` } });
    expect(program.argv[0]).toBe('python3');
  });
});
