import { channel } from 'node:diagnostics_channel';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { AuditRecord } from '../../src/agent/audit.js';
import type { Trace } from '../../src/agent/journal.js';
import { silentLogger } from '../../src/sandbox/silent.js';
import { type Agent, agentWith } from '../support/agent.js';
import { agentOn } from '../support/agent-on.js';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const NONE = { order: 'engine', engine: { socket: '/nonexistent.sock' } };
const audit = ({ dataDir }: Agent): AuditRecord[] =>
  readFileSync(`${dataDir}/audit.jsonl`, 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line));

test('required: no engine, no run; off: nothing runs, whatever there is', async () => {
  using work = workspace();
  await using required = await agentWith({ config: NONE });
  expect(await required.sandbox.probe()).toMatchObject({ available: false });
  await expect(required.sh(work, 'true')).rejects.toMatchObject({ name: 'BackendUnavailable' });
  expect(audit(required)).toMatchObject([{ command: 'sh', error: 'BackendUnavailable' }]);
  expect(existsSync(`${required.dataDir}/sandbox`)).toBe(false);
  await using off = await agentWith({ mode: 'off', allow: ['danger-full-access'] });
  expect(await off.sandbox.probe()).toMatchObject({ available: false, backend: 'none (mode is off)' });
  for (const access of ['read-only', 'danger-full-access'] as const) {
    await expect(off.sh(work, 'true', { access })).rejects.toThrow(/mode of this sandbox is off/);
  }
});

describe('danger-full-access', () => {
  test('is refused unless the operator names it', async () => {
    using work = workspace();
    await using agent = await agentWith({ config: NONE });
    const run = agent.sh(work, 'touch made', { access: 'danger-full-access' });
    await expect(run).rejects.toMatchObject({ name: 'InvalidRequest', code: 'refused' });
    expect(existsSync(`${work.path}/made`)).toBe(false);
  });

  test('runs on the host, with its paths and its own environment only, and warns each time', async () => {
    using work = workspace();
    const lines: string[] = [];
    const logger = { ...silentLogger, warn: (line: string) => lines.push(line) };
    await using agent = await agentWith({ config: NONE, allow: ['danger-full-access'], logger });
    const direct = { access: 'danger-full-access' } as const;
    process.env.OF_THE_HOST = 'secret';
    const script = 'pwd; cat; echo $OWN $OF_THE_HOST $WORKSPACE; echo x > $SCRATCH/artifacts/x; sleep 60 & exit 4';
    const result = await agent.sh(work, script, { ...direct, env: { OWN: 'own' }, stdin: 'in\n' });
    expect(result).toMatchObject({ code: 4, backend: 'direct', memoryLimit: 'none', artifacts: [{ path: 'x' }] });
    expect(result.stdout).toBe(`${work.path}\nin\nown ${work.path}\n`);
    expect(result.warnings).toHaveLength(1);
    expect(await agent.sh(work, 'sleep 60', { ...direct, timeoutMs: 300 })).toMatchObject({ timedOut: true });
    expect(await agent.sh(work, 'kill -TERM $$', direct)).toMatchObject({ code: 143, end: 'exit' });
    const handle = await agent.sandbox.start({ command: 'sleep', argv: ['60'], workspaceDir: work.path, ...direct });
    await handle.stop('graceful');
    expect(await handle.wait()).toMatchObject({ code: 143 });
    const missing = agent.sandbox.run({ command: 'nonesuch', workspaceDir: work.path, ...direct });
    await expect(missing).rejects.toMatchObject({ code: 'command-not-found' });
    expect(lines.filter(line => line.includes('without a sandbox'))).toHaveLength(5);
    expect(audit(agent).map(({ exit, end, error }) => error ?? `${end} ${exit}`)).toEqual([
      'exit 4',
      'timeout null',
      'exit 143',
      'exit 143',
      'InvalidRequest',
    ]);
  });
});

describe.each(targets.slice(0, 1))('the audit, on $name', target => {
  test('tells each run and no secret; a broken file breaks nothing and is told', async () => {
    using work = workspace();
    await using agent = await agentOn(target);
    const seen: Trace[] = [];
    const listen = (trace: unknown) => void seen.push(trace as Trace);
    channel('tracing:code-sandbox:run:asyncEnd').subscribe(listen);
    const ok = await agent.sh(work, 'echo hidden > /scratch/artifacts/a', { env: { TOKEN: 'hidden' } });
    channel('tracing:code-sandbox:run:asyncEnd').unsubscribe(listen);
    expect(ok.auditError).toBeUndefined();
    const [record] = audit(agent);
    expect(record).toMatchObject({
      id: ok.id,
      command: 'sh',
      access: 'read-only',
      network: 'deny',
      backend: target.kind,
      env: ['TOKEN'],
      exit: 0,
      end: 'exit',
      artifacts: 1,
    });
    expect(JSON.stringify(record)).not.toContain('hidden');
    expect(seen.map(({ id, record }) => [id, record?.exit])).toEqual([[ok.id, 0]]);
    rmSync(`${agent.dataDir}/audit.jsonl`);
    mkdirSync(`${agent.dataDir}/audit.jsonl`);
    const broken = await agent.sh(work, 'echo still');
    expect(broken).toMatchObject({ code: 0, stdout: 'still\n' });
    expect(broken.auditError).toMatch(/^The audit file cannot be written: EISDIR/);
  });
});

test('after any mix of starts, failures and aborts every slot is there again', async () => {
  using work = workspace();
  const options = { config: NONE, allow: ['danger-full-access' as const], maxConcurrent: 3, maxQueue: 1000 };
  await using agent = await agentWith(options);
  const request = { workspaceDir: work.path, access: 'danger-full-access' } as const;
  const runs = Array.from({ length: 150 }, async (_, i) => {
    const signal = i % 3 === 0 ? AbortSignal.timeout(1 + Math.random() * 1500) : new AbortController().signal;
    return agent.sandbox.run({
      command: ['true', 'nonesuch', 'sh'][i % 3]!,
      argv: i % 3 === 2 ? ['-c', 'exit 1'] : [],
      ...request,
      signal,
    });
  });
  await Promise.allSettled(runs);
  const sleepers = await Promise.all(
    [1, 2, 3].map(() => agent.sandbox.start({ command: 'sleep', argv: ['60'], ...request })),
  );
  let fourth = false;
  const waiting = agent.sandbox.run({ command: 'true', ...request }).then(() => {
    fourth = true;
  });
  await new Promise(resolve => setTimeout(resolve, 200));
  expect(fourth).toBe(false);
  await sleepers[0]!.stop('force');
  await waiting;
});
