import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkOptions } from '../../../src/agent/options.js';
import { AgentSandbox } from '../../../src/agent/sandbox.js';
import { parseConfig } from '../../../src/config/parse.js';
import type { Root } from '../../../src/policy/plan.js';
import type { ProbeReport } from '../../../src/probe/report.js';
import type { Sandbox } from '../../../src/sandbox/backend.js';
import { Basis } from '../../../src/sandbox/basis.js';
import { Presence } from '../../../src/sandbox/presence.js';
import { RunQueue } from '../../../src/sandbox/queue.js';
import type { Roots } from '../../../src/sandbox/roots.js';
import { CodeSandbox } from '../../../src/sandbox/service.js';
import { silentLogger } from '../../../src/sandbox/silent.js';
import { trailerOf } from '../../../src/supervisor/trailer.js';
import { backendThat } from '../sandbox/scene.js';

const root: Root = { kind: 'image', name: 'x', mounts: [], path: ['/bin'], env: {}, commands: { sh: '/bin/sh' } };
const report: ProbeReport = {
  backend: 'podman',
  guarantees: [{ id: 6, title: 'memory', status: 'enforced', evidence: ['the kernel ended what took too much'] }],
  interpreters: [],
  ok: true,
  degraded: false,
  durationMs: 1,
};

const trailer = trailerOf('exited', { code: 0 });

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'memory-limit-')));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** An agent sandbox over a backend that does as if it ran programs. */
function agentOver(run: (presence: Presence) => void | Promise<void>) {
  const stopped = Promise.withResolvers<void>();
  const sandbox: Sandbox = {
    id: 'one',
    image: 'x',
    ended: false,
    run: async () => {
      await Promise.race([run(presence), stopped.promise]);
      return { trailer };
    },
    stop: async () => stopped.resolve(),
    close: async () => {},
  };
  const backend = backendThat({ engine: { rootless: false }, open: async () => sandbox, sweep: async () => 0 });
  let there = true;
  const select = async () => {
    const found = there ? { backend, kind: 'engine' as const, report, candidates: [] } : { candidates: [] };
    there = false;
    return found;
  };
  const presence = new Presence(select, silentLogger);
  const config = parseConfig({});
  const queue = new RunQueue(1, 1);
  const service = new CodeSandbox({
    config,
    presence,
    prove: async () => report,
    roots: { rootFor: async () => root, close: async () => {} } as unknown as Roots,
    basis: new Basis(config),
    queue,
    logger: silentLogger,
  });
  const dataDir = `${folder}/data`;
  const settings = checkOptions({ dataDir, audit: false });
  const agent = new AgentSandbox({ settings, config, dataDir, queue, sandbox: service, logger: silentLogger });
  return { agent, backend };
}

function runIn({ agent }: ReturnType<typeof agentOver>, signal?: AbortSignal) {
  const workspaceDir = mkdtempSync(`${folder}/ws-`);
  return agent.start({ command: 'sh', argv: [], workspaceDir, ...(signal ? { signal } : {}) });
}

test('is told of the backend that the run had, also when that is lost before the result is put together', async () => {
  const over = agentOver(presence => presence.lost(over.backend, 'it is gone'));
  await using _ = over.agent;
  const result = await (await runIn(over)).wait();
  expect(result).toMatchObject({
    code: 0,
    memoryLimit: 'cgroup',
    memoryLimitReason: 'the kernel ended what took too much',
  });
});

test('of a run that ended before it had a sandbox is none, and the reason is not that it ran on the host', async () => {
  const over = agentOver(() => new Promise(() => {}));
  await using _ = over.agent;
  const running = await runIn(over);
  const waiting = runIn(over, AbortSignal.timeout(10));
  expect(await (await waiting).wait()).toMatchObject({
    signal: 'SIGTERM',
    memoryLimit: 'none',
    memoryLimitReason: 'the run ended before it was given a sandbox',
  });
  await running.stop('force');
});
