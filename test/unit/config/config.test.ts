import { expect, test } from 'vitest';
import { configForm, type FormField } from '../../../src/config/form.js';
import { limitsOf } from '../../../src/config/limits.js';
import { parseConfig } from '../../../src/config/parse.js';

test('nothing, and a partial group, get the documented defaults', () => {
  for (const input of [undefined, {}, { limits: {} }]) {
    expect(limitsOf(parseConfig(input))).toEqual({
      timeoutMs: 60_000,
      memoryBytes: 512 * 1024 * 1024,
      pids: 128,
      tmpBytes: 256 * 1024 * 1024,
      shmBytes: 128 * 1024 * 1024,
      outputBytes: 10 * 1024 * 1024,
      fileBytes: 2048 * 1024 * 1024,
      diskFloorBytes: 256 * 1024 * 1024,
      cpus: 0,
    });
  }
  expect(parseConfig({ limits: { pids: 9 } }).limits).toMatchObject({ pids: 9, memoryMiB: 512 });
});

test('unknown settings are dropped, wrong ones are named', () => {
  expect(parseConfig({ nonsense: 1, limits: { other: 2 } })).toEqual(parseConfig({}));
  expect(() => parseConfig({ limits: { pids: 'many' }, engine: { engine: 'lxc' } })).toThrow(
    /limits\.pids[\s\S]*engine\.engine|engine\.engine[\s\S]*limits\.pids/,
  );
});

test('a user to run as is numbers', () => {
  expect(parseConfig({ safety: { runAs: ' 1000:1000 ' } }).safety.runAs).toBe('1000:1000');
  expect(() => parseConfig({ safety: { runAs: 'aalis' } })).toThrow(/uid:gid[\s\S]*safety\.runAs/);
});

test('the probe has ten seconds', () => {
  expect(parseConfig({}).limits.probeMs).toBe(10_000);
});

test('the form holds every setting of the schema with the same default, in Aalis’s vocabulary', () => {
  const form = configForm();
  const defaults = parseConfig({}) as Record<string, unknown>;
  expect(Object.keys(form)).toEqual(Object.keys(defaults));
  for (const [name, entry] of Object.entries(form)) {
    if ('fields' in entry) {
      const group = defaults[name] as Record<string, unknown>;
      expect(Object.fromEntries(Object.entries(entry.fields).map(([key, field]) => [key, field.default]))).toEqual(
        group,
      );
      for (const field of Object.values(entry.fields)) checkField(field);
    } else if (entry.type !== 'array') {
      expect(entry.default).toEqual(defaults[name]);
      checkField(entry);
    }
  }
});

function checkField(field: FormField): void {
  expect(['string', 'number', 'boolean', 'select']).toContain(field.type);
  expect(field.label).not.toBe('');
  expect(field.description).toMatch(/\.$/);
  if (field.type === 'select') expect(field.options!.map(option => option.value)).toContain(field.default);
}
