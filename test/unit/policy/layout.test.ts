import { expect, test } from 'vitest';
import { layOut } from '../../../src/policy/layout.js';
import { fakeHost } from './fake-host.js';
import { mount } from './inside.js';

const host = fakeHost({ '/ws/a/b/c/d/e': {}, '/ws/a/x/y': {}, '/ws/link': '->a', '/other/f/g/h': {} });
const shown = async (...mounts: Parameters<typeof layOut>[1]) =>
  (await layOut(host, mounts)).map(
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
    expect(await layOut(host, mounts)).toHaveLength(mounts.length);
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
  const [, between] = await layOut(host, [mount('/ws', 'rw'), mount('/ws/a/b')]);
  expect(between!.identity).toEqual((await host.lstat('/ws/a'))!.identity);
});

test('what lies in a folder of two names lies in it under both', async () => {
  const moved = mount('/home/u/ws', 'rw', '/ws');
  expect(await shown(mount('/ws', 'rw'), moved, mount('/ws/a/b'), mount('/ws/a/b/c', 'rw'))).toEqual([
    'rw /ws',
    'rw /ws/a',
    'ro /ws/a/b',
    'rw /ws/a/b/c',
    'rw /home/u/ws=/ws',
    'rw /home/u/ws/a=/ws/a',
    'ro /home/u/ws/a/b=/ws/a/b',
    'rw /home/u/ws/a/b/c=/ws/a/b/c',
  ]);
});

test('a folder that is none any more is refused; where nobody named it, there is nothing left to guard', async () => {
  const gone = mount('/ws/link/b');
  await expect(layOut(host, [mount('/ws', 'rw'), gone])).rejects.toThrow(
    'A folder above "/ws/link/b" was replaced while the request was checked; nothing ran. Try again.',
  );
  expect(await layOut(host, [mount('/ws', 'rw')], [gone])).toEqual([mount('/ws', 'rw')]);
});

test('there are no more than an engine can take', async () => {
  const deep = (n: number) => `/ws/${Array.from({ length: 100 }, (_, i) => `${n}-${i}`).join('/')}`;
  const folders = Array.from({ length: 11 }, (_, n) => deep(n));
  const many = fakeHost(Object.fromEntries(folders.map(folder => [folder, {}])));
  const laidOut = layOut(many, [mount('/ws', 'rw'), ...folders.map(folder => mount(folder))]);
  await expect(laidOut).rejects.toThrow(/takes 1101 mounts.*the limit is 1024\. Name fewer folders/);
});
