import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Bases } from '../../../../src/launcher/oci/bases.js';
import type { Mount, Plan, Root } from '../../../../src/policy/plan.js';
import { workspace } from '../../../support/workspace.js';

const INSIDE = { uid: 1000, gid: 1000 };

let work: ReturnType<typeof workspace>;
let bases: Bases;
beforeEach(() => {
  work = workspace();
  mkdirSync(join(work.path, 'bases'));
  mkdirSync(join(work.path, 'folder'));
  writeFileSync(join(work.path, 'file'), '');
  bases = new Bases(join(work.path, 'bases'));
});
afterEach(() => work[Symbol.dispose]());

function planWith(...mounts: Array<[source: string, target: string]>): Plan {
  const root: Root = {
    kind: 'host',
    name: 'host',
    mounts: [],
    path: [],
    env: {},
    entries: [{ path: 'bin', kind: 'link', to: 'usr/bin' }],
  };
  return {
    root,
    mounts: mounts.map(([source, target]) => ({ source: join(work.path, source), target, mode: 'rw' })),
  } as Plan;
}

const acquire = (plan: Plan) => bases.acquire(plan, INSIDE, (root): Mount[] => [...root.mounts, ...plan.mounts]);
const made = () => readdirSync(join(work.path, 'bases'));

test('an image’s link in the place of a file of ours neither stays nor leads out', async () => {
  const plan = planWith();
  const victim = join(work.path, 'victim');
  writeFileSync(victim, 'kept');
  plan.root.entries = ['etc/passwd', 'etc/group', 'etc/nsswitch.conf'].map(path => ({
    path,
    kind: 'link',
    to: victim,
  }));
  const { path } = await acquire(plan);
  expect(readFileSync(victim, 'utf8')).toBe('kept');
  expect(readFileSync(join(path, 'etc/passwd'), 'utf8')).toContain('sandbox:x:1000:');
});

test('has links, files, and a mount point for every bind, whatever the umask', async () => {
  const before = process.umask(0o077);
  try {
    const plan = planWith(
      ['folder', '/home/a/work'],
      ['file', '/opt/data'],
      ['folder', '/home/a/work/in'],
      ['folder', '/tmp/x'],
    );
    const { path } = await acquire(plan);
    expect(readlinkSync(join(path, 'bin'))).toBe('usr/bin');
    expect(readFileSync(join(path, 'etc/passwd'), 'utf8')).toContain('sandbox:x:1000:1000');
    expect(statSync(join(path, 'opt/data')).isFile()).toBe(true);
    for (const folder of ['', 'home', 'home/a', 'home/a/work', 'etc'])
      expect(statSync(join(path, folder)).mode & 0o7777).toBe(0o755);
    expect(statSync(join(path, 'tmp')).mode & 0o7777).toBe(0o1777);
    // What lies in another mount has its mount point there.
    expect(existsSync(join(path, 'home/a/work/in'))).toBe(false);
    expect(existsSync(join(path, 'tmp/x'))).toBe(false);
  } finally {
    process.umask(before);
  }
});

test('the same layout is made once, another one for itself', async () => {
  const [one, two] = await Promise.all([acquire(planWith(['folder', '/a'])), acquire(planWith(['folder', '/a']))]);
  const other = await acquire(planWith(['folder', '/b']));
  expect(two.path).toBe(one.path);
  expect(other.path).not.toBe(one.path);
  expect(existsSync(join(other.path, 'a'))).toBe(false);
});

test('of those that nobody uses only some are kept', async () => {
  const used = await acquire(planWith(['folder', '/used']));
  for (let n = 0; n < 40; n++) (await acquire(planWith(['folder', `/work-${n}`]))).release();
  for (let patience = 0; made().length > 17 && patience < 200; patience++) await sleep(10);
  expect(made()).toHaveLength(17);
  expect(existsSync(used.path)).toBe(true);
});

test('a source that is gone leaves nothing, and is tried again', async () => {
  const plan = planWith(['gone', '/a']);
  await expect(acquire(plan)).rejects.toThrow(/ENOENT/);
  expect(made()).toEqual([]);
  mkdirSync(join(work.path, 'gone'));
  expect((await acquire(plan)).path).toBeDefined();
});
