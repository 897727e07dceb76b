import { expect, test } from 'vitest';
import { requireRuntime } from '../../../src/sandbox/runtime.js';

test('a runtime that the backend offers is fine; any other is refused with what there is', () => {
  const backend = { label: 'Docker 27', runtimes: ['runc', 'runsc'] };
  expect(requireRuntime(backend, 'runsc')).toBeUndefined();
  expect(() => requireRuntime(backend, 'kata')).toThrow(/Docker 27 does not offer .*"kata": it has runc, runsc/);
  expect(() => requireRuntime({ label: 'bubblewrap', runtimes: [] }, 'kata')).toThrow(/none to choose from/);
});
