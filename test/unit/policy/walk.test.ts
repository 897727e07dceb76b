import { expect, test } from 'vitest';
import { isWithin, walk } from '../../../src/policy/walk.js';
import { fakeHost } from './fake-host.js';

const host = fakeHost({
  '/data/home/u': { uid: 1000, gid: 1000, mode: 0o700 },
  '/home': '->/data/home',
  '/data/here': '->home/../home/u',
  '/data/file': 'text',
  '/loop': '->/pool',
  '/pool': '->loop',
  '/dangling': '->/nowhere/at/all',
});

test.each([
  ['/', '/', []],
  ['/data//home/./u/', '/data/home/u', []],
  ['/home/u', '/data/home/u', ['/home']],
  ['/data/here', '/data/home/u', ['/data/here']],
  ['/home/../here', '/data/home/u', ['/home', '/data/here']],
  ['/data/file', '/data/file', []],
  ['/../../data', '/data', []],
])('%s leads to %s', async (path, end, links) => {
  const place = await walk(host, path);
  expect(place).toMatchObject({ found: true, path: end });
  expect(place.links.map(link => link.path)).toEqual(links);
});

test.each([
  ['/data/nothing/below', '/data/nothing', 'does not exist'],
  ['/data/file/below', '/data/file', 'is not a folder'],
  ['/data/file/..', '/data/file', 'is not a folder'],
  ['/dangling', '/nowhere', 'does not exist'],
  ['/loop', '/loop', 'is a link too many'],
])('%s leads nowhere', async (path, at, why) => {
  expect(await walk(host, path)).toMatchObject({ found: false, at, why });
});

test('what cannot be looked at is told, not thrown', async () => {
  const closed = { ...host, lstat: () => Promise.reject(Object.assign(new Error(), { code: 'EACCES' })) };
  expect(await walk(closed, '/data')).toMatchObject({
    found: false,
    why: "cannot be passed by the service's own user (EACCES)",
  });
});

test('a folder holds itself and what is below, not what merely begins alike', () => {
  expect(isWithin('/a', '/a')).toBe(true);
  expect(isWithin('/a/b', '/a')).toBe(true);
  expect(isWithin('/ab', '/a')).toBe(false);
  expect(isWithin('/ab', '/')).toBe(true);
  expect(isWithin('/', '/a')).toBe(false);
});
