import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { SandboxRunRequest } from '../../src/aalis.js';
import { parseConfig } from '../../src/config/parse.js';
import type { Root } from '../../src/policy/plan.js';
import { GUARANTEE } from '../../src/probe/report.js';
import type { Backend, Ending, Sandbox } from '../../src/sandbox/backend.js';
import { Basis } from '../../src/sandbox/basis.js';
import { Presence } from '../../src/sandbox/presence.js';
import { RunQueue } from '../../src/sandbox/queue.js';
import type { Roots } from '../../src/sandbox/roots.js';
import { CodeSandbox } from '../../src/sandbox/service.js';
import { silentLogger } from '../../src/sandbox/silent.js';
import { workspace } from '../support/workspace.js';

const RUNS = 10_000;
const ERRORS = ['InvalidRequest', 'BackendUnavailable', 'RunFailed', 'SandboxBusy'];

/** A backend at our own seam that does whatever the next draw says. */
function backendThat(next: () => { open: Error | undefined; ending: Ending | Error }): Backend {
  const open = async (): Promise<Sandbox> => {
    const { open, ending } = next();
    if (open) throw open;
    return {
      id: 'fake',
      image: 'fake',
      ended: false,
      run: async (_, sinks) => {
        sinks.stdout(Buffer.from([0xff, 0x41]));
        if (ending instanceof Error) throw ending;
        return ending;
      },
      stop: async () => {},
      close: async () => {},
    };
  };
  return {
    name: 'podman',
    label: 'fake',
    engine: { rootless: false },
    places: { sockets: [], storage: [] },
    open,
    alive: async () => true,
    sweep: async () => 0,
    close: async () => {},
  } as unknown as Backend;
}

const trailer = fc.record({
  kind: fc.constantFrom(
    'exited',
    'deadline',
    'owner-gone',
    'exec-failed',
    'bad-frame',
    'mount-mismatch',
    'setup-failed',
  ),
  code: fc.option(fc.nat(255)),
  signal: fc.option(fc.integer({ min: 1, max: 64 })),
  errno: fc.nat(200),
  detail: fc.nat(40),
  oomKills: fc.option(fc.nat(3)),
  peakMemoryBytes: fc.option(fc.nat()),
  userMicros: fc.nat(),
  systemMicros: fc.nat(),
  wallMicros: fc.nat(),
});
const failure = fc.constantFrom('', 'ECONNRESET').map(message => new Error(message));
const behaviour = fc.record({
  open: fc.option(failure, { nil: undefined, freq: 10 }),
  ending: fc.oneof(
    failure,
    fc.record({ trailer }),
    fc.record({ trailer: trailer.map(drawn => ({ ...drawn, kind: 'exited', code: 0, signal: null })) }),
    fc.record({ trailer: trailer.map(drawn => ({ ...drawn, kind: 'exited', code: 7, signal: null })) }),
    fc.record({ exitCode: fc.nat(255), oomKilled: fc.boolean() }),
    fc.constant({}),
  ) as fc.Arbitrary<Ending | Error>,
});

/** What the host has and has not, below one folder. */
function scene(folder: string): string[] {
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  mkdirSync(join(folder, 'closed'), { mode: 0o500 });
  writeFileSync(join(folder, 'file'), '');
  symlinkSync(join(folder, 'a'), join(folder, 'link'));
  symlinkSync('/', join(folder, 'a/escape'));
  symlinkSync('loop', join(folder, 'loop'));
  const names = ['', 'a', 'a/b', 'a/b/../b', 'closed', 'file', 'link', 'link/b', 'a/escape', 'loop', 'gone', 'gone/x'];
  return [
    ...names.map(name => join(folder, name)),
    '/',
    '/proc',
    '/proc/self/root',
    '/etc',
    '/tmp',
    '/nonesuch/x',
    'a',
  ];
}

const anyText = fc.string({ unit: 'binary', maxLength: 30 });

function requests(paths: string[]): fc.Arbitrary<SandboxRunRequest> {
  const fair = requestsOf({
    path: fc.constantFrom(...paths.slice(0, 3)),
    cmd: fc.constantFrom('sh', '/bin/sh', 'python3'),
    name: fc.stringMatching(/^[A-Z_]{1,8}$/),
    timeout: fc.integer({ min: 1, max: 60_000 }),
  });
  const path = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...paths) }, { weight: 1, arbitrary: anyText });
  const odd = requestsOf({
    path,
    cmd: fc.oneof(fc.constant('./x'), path, anyText),
    name: anyText,
    timeout: fc.oneof(fc.integer(), fc.double()),
  });
  const field = fc.constantFrom('cmd', 'args', 'cwd', 'env', 'timeout', 'policy', 'policy.fsRead', 'policy.network');
  const broken = fc.tuple(fair, field, fc.anything()).map(([request, where, value]) => {
    const [first, second] = where.split('.') as [string, string?];
    const rest = request as unknown as Record<string, unknown>;
    return { ...rest, [first]: second ? { ...(rest[first] as object), [second]: value } : value };
  });
  return fc.oneof(fair, odd, broken, fc.anything()) as fc.Arbitrary<SandboxRunRequest>;
}

function requestsOf(parts: Record<'path' | 'cmd' | 'name', fc.Arbitrary<string>> & { timeout: fc.Arbitrary<number> }) {
  const { path, cmd, name, timeout } = parts;
  const list = fc.array(path, { maxLength: 4 });
  const policy = fc.record({ fsRead: list, fsWrite: list, network: fc.constantFrom('deny', 'allow') });
  const env = fc.dictionary(name, fc.option(anyText, { nil: undefined }), { maxKeys: 5 });
  const args = fc.array(anyText, { maxLength: 4 });
  return fc.record({ cmd, args, cwd: path, env, timeout, policy }, { requiredKeys: ['cmd', 'args', 'policy'] });
}

/** Follows no link, unlike the recursive readdir of Node. */
function tree(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...tree(path)] : [path];
  });
}

test(`${RUNS} random requests, broken in random ways: a typed error or a result, and nothing is made on the host`, {
  timeout: 300_000,
}, async () => {
  using work = workspace();
  const paths = scene(work.path);
  const before = tree(work.path);
  const config = parseConfig({});
  let next: { open: Error | undefined; ending: Ending | Error };
  const backend = backendThat(() => next);
  const root: Root = { kind: 'image', name: 'fake', mounts: [], path: ['/bin'], env: {} };
  const sandbox = new CodeSandbox({
    config,
    presence: new Presence(async () => ({ backend, candidates: [] }), silentLogger),
    prove: async backend => ({
      backend: backend.name,
      guarantees: [{ id: GUARANTEE.network, title: 'network', status: 'enforced', evidence: [] }],
      interpreters: [],
      ok: false,
      degraded: false,
      durationMs: 0,
    }),
    roots: { rootFor: async () => root, imageFor: () => undefined, close: async () => {} } as unknown as Roots,
    basis: new Basis(config),
    queue: new RunQueue(0, 10),
    logger: silentLogger,
  });
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(requests(paths), behaviour, async (wanted, will) => {
      next = will;
      const outcome = await sandbox.run(wanted).catch((error: unknown) => error as Error);
      const name = outcome instanceof Error ? outcome.name : 'result';
      if (outcome instanceof Error) expect(ERRORS, String(outcome.stack)).toContain(name);
      else expect(outcome).toMatchObject({ code: 0, signal: null });
      seen.set(name, (seen.get(name) ?? 0) + 1);
    }),
    { numRuns: RUNS },
  );
  await sandbox.close();
  expect(tree(work.path)).toEqual(before);
  expect(existsSync('/nonesuch')).toBe(false);
  // The draw is worth something only while it reaches every outcome.
  for (const name of ['result', 'InvalidRequest', 'BackendUnavailable', 'RunFailed']) {
    expect(seen.get(name), name).toBeGreaterThan(RUNS / 1000);
  }
});
