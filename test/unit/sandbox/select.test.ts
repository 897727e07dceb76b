import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Logger } from '../../../src/aalis.js';
import { parseConfig } from '../../../src/config/parse.js';
import type { ProbeReport } from '../../../src/probe/report.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { type SelectOptions, select, whyNone } from '../../../src/sandbox/select.js';
import { type Find, WAYS } from '../../../src/sandbox/ways.js';

afterEach(() => vi.restoreAllMocks());

test('a candidate that cannot be closed does not keep the next one', async () => {
  const close = async () => {
    throw new Error('EBUSY');
  };
  const found = ['first', 'second'].map(label => ({ label, close }) as unknown as Backend);
  vi.spyOn(WAYS, 'engine').mockImplementation(async function* (): AsyncGenerator<Find, void, undefined> {
    for (const backend of found) yield { strategy: backend.label, outcome: 'found', reason: '', backend };
  });
  const lines: string[] = [];
  const { backend, candidates } = await select({
    config: parseConfig({ order: 'engine' }),
    process: {} as never,
    engine: {} as never,
    logger: { debug: (line: string) => lines.push(line) } as unknown as Logger,
    probe: async ({ label }) => ({ ok: label === 'second' }) as ProbeReport,
  });
  expect(backend?.label).toBe('second');
  expect(candidates.map(({ outcome }) => outcome)).toEqual(['unsuitable', 'taken']);
  expect(lines).toEqual(['closing first failed: EBUSY']);
});

describe('what takes the place of the kind that comes first', () => {
  const selected = (found: Array<Omit<Find, 'strategy' | 'backend'>>, order: string) => {
    const crun = { label: 'crun 1.8' } as unknown as Backend;
    vi.spyOn(WAYS, 'engine').mockImplementation(async function* (): AsyncGenerator<Find, void, undefined> {
      for (const each of found) yield { strategy: 'rootless Podman', ...each };
    });
    vi.spyOn(WAYS, 'oci').mockImplementation(async function* (): AsyncGenerator<Find, void, undefined> {
      yield { strategy: 'OCI runtime crun', outcome: 'found', reason: '', backend: crun };
    });
    return select({
      config: parseConfig({ order }),
      process: {} as never,
      engine: {} as never,
      logger: {} as never,
      probe: async () => ({ ok: true }) as ProbeReport,
    });
  };

  test('is told with the reasons of what was there', async () => {
    const { instead } = await selected([{ outcome: 'declined', reason: 'permission denied' }], 'engine, oci');
    expect(instead).toBe(
      'nothing of the kind engine is usable (rootless Podman: permission denied), so code runs in crun 1.8',
    );
  });

  test('is told where there was none', async () => {
    const { instead } = await selected([{ outcome: 'not-applicable', reason: 'there is none' }], 'engine, oci');
    expect(instead).toBe('nothing of the kind engine is usable (none was found), so code runs in crun 1.8');
  });

  test('is nothing to tell of where it comes first itself', async () => {
    expect(await selected([], 'oci, engine')).not.toHaveProperty('instead');
  });
});

test('on Windows there is nothing but an engine, and what to install is said', async () => {
  const platform = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...platform, value: 'win32' });
  try {
    const options = {
      process: {},
      engine: {},
      logger: {},
      probe: () => expect.unreachable(),
    } as never as SelectOptions;
    const selection = await select({ ...options, config: parseConfig({ order: 'oci, os' }) });
    expect(selection.backend).toBeUndefined();
    expect(whyNone(selection)).toMatch(/install Podman or Docker/);
    expect(selection.candidates.at(-1)!.reason).toBe('it has none for win32: install Docker Desktop or Podman');
  } finally {
    Object.defineProperty(process, 'platform', platform);
  }
});
