import { expect, test } from 'vitest';
import type { Root } from '../../../src/policy/plan.js';
import { knownCommands } from '../../../src/sandbox/known.js';

const host: Root = { kind: 'host', name: 'host', mounts: [], path: [], env: {} };
const image: Root = { ...host, kind: 'image', name: 'ruby:3', id: 'sha256:1' };
const report = (root: string) => ({
  backend: 'docker' as const,
  guarantees: [],
  interpreters: ['python3'],
  root,
  ok: true,
  degraded: false,
  durationMs: 1,
});

test.each<[string, Root, string | undefined, string[]]>([
  ['what the probe found in the same root', host, 'host', ['python3']],
  ['nothing where it looked into another', image, 'host', []],
  ['what it found in the same image', image, 'sha256:1', ['python3']],
  ['what the root declares comes first', { ...image, commands: { ruby: '/usr/bin/ruby' } }, 'sha256:1', ['ruby']],
  ['nothing without a report', host, undefined, []],
])('%s', (_, root, probed, known) => {
  expect(knownCommands(root, probed === undefined ? undefined : report(probed))).toEqual(known);
});
