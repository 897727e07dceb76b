import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAgentSandbox } from '../../../src/agent/create.js';
import { limitsFor, rangesOf } from '../../../src/agent/limits.js';
import { checkAgentRequest } from '../../../src/agent/request.js';
import { InvalidRequest } from '../../../src/sandbox/errors.js';
import { type Agent, agentWith } from '../../support/agent.js';
import { workspace } from '../../support/workspace.js';

const NONE = { order: 'engine', engine: { socket: '/nonexistent.sock' } };
let agent: Agent;
const work = workspace();
beforeAll(async () => {
  agent = await agentWith({ config: NONE, allow: ['danger-full-access'] });
});
afterAll(async () => {
  expect(readdirSync(agent.dataDir)).toEqual([]);
  await agent[Symbol.asyncDispose]();
  work[Symbol.dispose]();
});

test('the workspace’s path is taken without empty and `.` parts, as everything else that names it', () => {
  const at = (workspaceDir: string) => checkAgentRequest({ command: 'x', workspaceDir }).workspaceDir;
  expect(['/srv/p/', '/srv//p', '/srv/./p', '/srv/x/../p'].map(at)).toEqual([
    '/srv/p',
    '/srv/p',
    '/srv/p',
    '/srv/x/../p',
  ]);
});

test('a share of the processors is between a hundredth and what is there', () => {
  const { limits, warnings } = limitsFor({ cpus: 0.001 }, rangesOf(), 2);
  expect(limits.cpus).toBe(0.01);
  expect(warnings).toEqual(['cpus is 0.01 instead of 0.001, its least.']);
  expect(limitsFor({ cpus: 8 }, rangesOf(), 2)).toMatchObject({
    limits: { cpus: 2 },
    warnings: ['cpus is 2 instead of 8, its most.'],
  });
});

test.each([
  ['nothing', undefined],
  ['command', { command: '' }],
  ['command', { command: 7 }],
  ['argv', { argv: 'x' }],
  ['argv', { argv: [7] }],
  ['stdin', { stdin: 7 }],
  ['workspaceDir', { workspaceDir: 'relative' }],
  ['workspaceDir', { workspaceDir: '/nonexistent/workspace' }],
  ['workspaceDir', { workspaceDir: '/etc/hostname' }],
  ['cwd', { cwd: '..' }],
  ['cwd', { cwd: '/etc' }],
  ['cwd', { cwd: 'missing' }],
  ['access', { access: 'everything' }],
  ['network', { network: 'some' }],
  ['env', { env: { A: 1 } }],
  ['timeoutMs', { timeoutMs: 'soon' }],
  ['timeoutMs', { timeoutMs: Number.NaN }],
  ['memoryMB', { memoryMB: -1 }],
  ['pids', { pids: 0 }],
  ['cpus', { cpus: Number.POSITIVE_INFINITY }],
  ['outputLimitBytes', { outputLimitBytes: {} }],
  ['image', { image: '' }],
  ['runtime', { runtime: 7 }],
  ['signal', { signal: {} }],
  ['onStdout', { onStdout: 'print' }],
  ['onStderr', { onStderr: {} }],
  ['unknown', { unknown: 1 }],
])('a wrong %s is refused, and nothing is made', async (field, part) => {
  const request = part && { command: 'true', workspaceDir: work.path, ...part };
  const run = agent.sandbox.start(request as never);
  await expect(run).rejects.toBeInstanceOf(InvalidRequest);
  await expect(run).rejects.toThrow(field === 'nothing' ? /not valid/ : new RegExp(field));
});

test('a workspace may neither hold what runs leave nor lie in it', async () => {
  for (const workspaceDir of [agent.dataDir, '/']) {
    await expect(agent.sandbox.run({ command: 'true', workspaceDir })).rejects.toThrow(/lie in one another/);
  }
});

test('a request that throws when it is read is the caller’s fault', () => {
  const request = {
    get command() {
      throw new Error('mine');
    },
  };
  expect(() => checkAgentRequest(request)).toThrow(InvalidRequest);
});

test.each([
  { dataDir: 'relative' },
  { dataDir: '/x', mode: 'some' },
  { dataDir: '/x', allow: ['all'] },
  { dataDir: '/x', limits: { disk: {} } },
])('options %j are refused', async options => {
  await expect(createAgentSandbox(options as never)).rejects.toBeInstanceOf(InvalidRequest);
});

test('limits are what was asked for, within the ranges of the operator and of the package', () => {
  const ranges = rangesOf({ timeoutMs: { max: 5000 }, memoryMB: { default: 1024, max: 1e9 } });
  expect(limitsFor({}, ranges, 0)).toMatchObject({
    limits: { timeoutMs: 5000, memoryBytes: 1024 * 1024 * 1024, outputBytes: 10 * 1024 * 1024 },
    warnings: [],
  });
  // The operator's own limit of CPUs stays where a request names none, and is the most that one may name.
  expect(limitsFor({}, ranges, 1).limits).not.toHaveProperty('cpus');
  expect(limitsFor({ cpus: 9 }, ranges, 1)).toMatchObject({
    limits: { cpus: 1 },
    warnings: ['cpus is 1 instead of 9, its most.'],
  });
  const { limits, warnings } = limitsFor(
    { timeoutMs: 9999, memoryMB: 1, pids: 1e6, outputLimitBytes: 2 ** 40 },
    ranges,
    0,
  );
  expect(limits).toMatchObject({ timeoutMs: 5000, memoryBytes: 32 * 1024 * 1024, outputBytes: 64 * 1024 * 1024 });
  expect(warnings).toHaveLength(4);
});
