import { expect, test } from 'vitest';
import { pinned } from '../../../src/policy/pinned.js';
import { fakeHost } from './fake-host.js';
import { mount } from './inside.js';

const host = fakeHost({ '/ws/a/b/c/d/e': {}, '/ws/a/x/y': {}, '/ws/link': '->a', '/other/f/g/h': {} });
const shown = async (...mounts: Parameters<typeof pinned>[1]) =>
  (await pinned(host, mounts)).map(
    ({ mode, source, target }) => `${mode} ${target}${source === target ? '' : `=${source}`}`,
  );

test('folders between a read-only mount and the writable one around it are mount points too, parents first', async () => {
  expect(await shown(mount('/ws/a/b/c'), mount('/ws/a/x/y'), mount('/ws', 'rw'))).toEqual([
    'rw /ws',
    'rw /ws/a',
    'rw /ws/a/b',
    'rw /ws/a/x',
    'ro /ws/a/b/c',
    'ro /ws/a/x/y',
  ]);
});

test('under their own names as well as under others', async () => {
  expect(await shown(mount('/workspace', 'rw', '/ws'), mount('/workspace/a/b', 'ro', '/ws/a/b'))).toEqual([
    'rw /workspace=/ws',
    'rw /workspace/a=/ws/a',
    'ro /workspace/a/b=/ws/a/b',
  ]);
});

test('what lies directly in a writable folder, in a read-only one, or nowhere, needs none', async () => {
  for (const mounts of [
    [mount('/ws', 'rw'), mount('/ws/a')],
    [mount('/ws'), mount('/ws/a/b/c')],
    [mount('/ws/a/b')],
    [mount('/ws/a', 'ro'), mount('/ws/a/b/c', 'rw')],
  ])
    expect(await pinned(host, mounts)).toHaveLength(mounts.length);
});

test('the nearest mount counts, and a read-only one between stays read-only', async () => {
  expect(await shown(mount('/ws', 'rw'), mount('/ws/a'), mount('/ws/a/b', 'rw'), mount('/ws/a/b/c/d'))).toEqual([
    'rw /ws',
    'ro /ws/a',
    'rw /ws/a/b',
    'rw /ws/a/b/c',
    'ro /ws/a/b/c/d',
  ]);
});

test('what goes between has the identity of its folder', async () => {
  const [, between] = await pinned(host, [mount('/ws', 'rw'), mount('/ws/a/b')]);
  expect(between!.identity).toEqual((await host.lstat('/ws/a'))!.identity);
});

test('a folder that is none any more is refused', async () => {
  await expect(pinned(host, [mount('/ws', 'rw'), mount('/ws/link/b')])).rejects.toThrow(
    'The folder "/ws/link" was replaced while the request was checked; nothing ran. Try again.',
  );
});
