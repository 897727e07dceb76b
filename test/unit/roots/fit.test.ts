import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Root } from '../../../src/policy/plan.js';
import { fitRoot, rootMounts } from '../../../src/roots/fit.js';
import { workspace } from '../../support/workspace.js';

let work: ReturnType<typeof workspace>;
let root: Root;
beforeEach(async () => {
  work = workspace();
  for (const folder of ['usr/bin', 'home/resident', 'var/lib/dpkg', 'var/log', 'srv', 'proc', 'dev', 'tmp', 'sys'])
    mkdirSync(join(work.path, folder), { recursive: true });
  symlinkSync('usr/bin', join(work.path, 'bin'));
  symlinkSync('/var/home', join(work.path, 'people'));
  symlinkSync('run', join(work.path, 'var/run'));
  writeFileSync(join(work.path, 'file'), '');
  root = { kind: 'image', name: 'i', path: [], env: {}, ...(await rootMounts(work.path)) };
});
afterEach(() => work[Symbol.dispose]());

const targets = ({ mounts }: Root) => mounts.map(({ target }) => target).sort();
const at = (path: string) => ({ source: join(work.path, path), target: `/${path}`, mode: 'ro' });

test('shows every folder and file, but what a sandbox has of its own, and makes its links', () => {
  expect(targets(root)).toEqual(['/file', '/home', '/srv', '/usr', '/var']);
  expect(root.mounts).toContainEqual(at('usr'));
  expect(root.entries).toContainEqual({ path: 'bin', kind: 'link', to: 'usr/bin' });
});

test('stays as it is where the mount points are there, or outside', async () => {
  expect(await fitRoot(root, ['/srv', '/home/resident', '/tmp/x', '/new/folder'])).toEqual(root);
  const host: Root = { ...root, kind: 'host' };
  expect(await fitRoot(host, ['/var/lib/work'])).toBe(host);
});

test('shows a folder entry by entry where a mount point is missing', async () => {
  const fitted = await fitRoot(root, ['/var/lib/work/deep', '/home/guest']);
  expect(targets(fitted)).toEqual(['/file', '/home/resident', '/srv', '/usr', '/var/lib/dpkg', '/var/log']);
  expect(fitted.entries).toEqual(
    expect.arrayContaining([
      { path: 'var', kind: 'folder' },
      { path: 'var/lib', kind: 'folder' },
      { path: 'var/run', kind: 'link', to: 'run' },
    ]),
  );
});

test('a link or a file in the way gives way', async () => {
  const fitted = await fitRoot(root, ['/people/alice', '/file/in', '/var/run/x']);
  expect(fitted.entries).not.toContainEqual(expect.objectContaining({ path: 'people' }));
  expect(fitted.entries).not.toContainEqual(expect.objectContaining({ path: 'var/run', kind: 'link' }));
  expect(targets(fitted)).not.toContain('/file');
});
