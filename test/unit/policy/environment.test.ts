import { expect, test } from 'vitest';
import { environmentOf } from '../../../src/policy/environment.js';
import { inHost, inImage, mount } from './inside.js';

const value = (pairs: Array<[string, string]>, name: string) =>
  pairs.filter(pair => pair[0] === name).map(pair => pair[1]);

test("the sandbox's own list, when the request has none", () => {
  expect(environmentOf([], inHost())).toEqual([
    ['HOME', '/tmp'],
    ['TMPDIR', '/tmp'],
    ['LANG', 'C.UTF-8'],
    ['HOSTNAME', 'sandbox'],
    ['USER', 'sandbox'],
    ['LOGNAME', 'sandbox'],
    ['PATH', '/usr/bin:/bin'],
  ]);
});

test("the request's values stand exactly, first and in their order", () => {
  const pairs: Array<[string, string]> = [
    ['LANG', ''],
    ['X', 'a=b\nc'],
    ['__proto__', 'p'],
    ['HOSTNAME', 'mine'],
  ];
  const found = environmentOf(pairs, inHost());
  expect(found.slice(0, 4)).toEqual(pairs);
  expect(value(found, 'LANG')).toEqual(['']);
});

test('what the root declares comes before the fixed list, after the request', () => {
  const { root, mounts } = inImage();
  const inside = { mounts, root: { ...root, env: { LANG: 'de_DE.UTF-8', JAVA_HOME: '/opt/java' } } };
  expect(value(environmentOf([], inside), 'LANG')).toEqual(['de_DE.UTF-8']);
  expect(value(environmentOf([['JAVA_HOME', 'x']], inside), 'JAVA_HOME')).toEqual(['x']);
});

test.each([
  ['nothing', '', '/usr/bin:/bin'],
  ['only what is there', '/root/.pyenv/shims:/usr/local/bin:/usr/bin:/bin', '/usr/bin:/bin'],
  ["the request's order", '/bin:/usr/bin', '/bin:/usr/bin'],
  ['a folder of the policy first', '/ws/.venv/bin:/usr/bin', '/ws/.venv/bin:/usr/bin:/bin'],
  ['each once', '/usr/bin:/usr/bin:/ws/b:/ws/b', '/usr/bin:/ws/b:/bin'],
  ['nothing relative', ':.:bin:/usr/bin', '/usr/bin:/bin'],
  ['not the private folders, which are empty', '/tmp/bin', '/usr/bin:/bin'],
])('PATH: %s', (_, path, expected) => {
  expect(value(environmentOf([['PATH', path]], inHost(mount('/ws'))), 'PATH')).toEqual([expected]);
});

test('PATH in an image: what the image itself has on its PATH counts as visible', () => {
  const found = environmentOf([['PATH', '/opt/x:/usr/bin:/usr/local/bin']], inImage());
  expect(value(found, 'PATH')).toEqual(['/usr/bin:/usr/local/bin']);
});

test.each([
  ['HOME', '/home/u', '/tmp'],
  ['HOME', '/ws/home', '/ws/home'],
  ['HOME', '/usr/lib', '/tmp'],
  ['TMPDIR', '/var/folders/x', '/tmp'],
  ['TMPDIR', '/tmp/x', '/tmp/x'],
  ['HOME', '', ''],
  ['OTHER', '/home/u', '/home/u'],
])('%s=%s becomes %s', (name, given, expected) => {
  expect(value(environmentOf([[name, given]], inHost(mount('/ws', 'rw'))), name)).toEqual([expected]);
});
