import { expect, test } from 'vitest';
import { ignoredSettings } from '../../../src/config/ignored.js';
import { parseConfig } from '../../../src/config/parse.js';

test.each([
  [undefined, []],
  [{}, []],
  [{ safety: { sockets: 'allow' }, limits: { pids: 9 }, imageDirs: [{ folder: '/x', more: 1 }] }, []],
  [{ sockets: 'allow', engine: { sokcet: '/x', engine: 'docker' } }, ['sockets', 'engine.sokcet']],
  [{ toString: 1, gone: undefined }, ['toString']],
])('of %j these are ignored: %j', (given, ignored) => {
  expect(ignoredSettings(given, parseConfig(given))).toEqual(ignored);
});

test('what is named freely is taken over, and so not ignored', () => {
  expect(ignoredSettings({ any: { a: 1 } }, { any: { a: 1 } })).toEqual([]);
});
