import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../support/agent.js';
import { agentOn } from '../support/agent-on.js';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

describe.each(targets)('the agent API on $name', target => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await agentOn(target, { graceMs: 3000 });
  });
  afterAll(async () => {
    await agent.sandbox.close();
    expect(readdirSync(`${agent.dataDir}/sandbox`)).toEqual([]);
    await agent[Symbol.asyncDispose]();
  });

  test('paths inside are always the same', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/in`, 'text');
    const script = 'pwd; cat in; echo; echo $HOME $TMPDIR $SCRATCH $WORKSPACE $OWN; touch $TMPDIR/x; ls -A $HOME';
    const result = await agent.sh(work, script, { env: { OWN: 'own', HOME: '/elsewhere' } });
    expect(result.stdout).toBe('/workspace\ntext\n/scratch /scratch/tmp /scratch /workspace own\nartifacts\ntmp\n');
    expect(result).toMatchObject({ code: 0, access: 'read-only', backend: target.kind, artifacts: [] });
    expect(result.memoryLimit).toBe(target.weak ? 'none' : 'cgroup');
    expect(result.memoryLimitReason).not.toBe('');
  });

  test('a working folder in the workspace, and a program that lies there', async () => {
    using work = workspace();
    await agent.sh(work, 'mkdir sub; printf "#!/bin/sh\\npwd" > sub/own; chmod +x sub/own', {
      access: 'workspace-write',
    });
    const request = { workspaceDir: work.path, cwd: 'sub' };
    expect(await agent.sandbox.run({ command: './own', ...request })).toMatchObject({ stdout: '/workspace/sub\n' });
    expect(await agent.sandbox.run({ command: '/workspace/sub/own', ...request })).toMatchObject({ code: 0 });
  });

  test('read-only takes nothing; writable does; the program’s failure is a result', async () => {
    using work = workspace();
    const denied = await agent.sh(work, 'echo x > made');
    expect(denied.code).not.toBe(0);
    expect(denied.stderr).toMatch(/read-only file system/i);
    expect(existsSync(`${work.path}/made`)).toBe(false);
    const made = await agent.sh(work, 'echo x > made; exit 3', { access: 'workspace-write' });
    expect(made).toMatchObject({ code: 3, end: 'exit' });
    expect(readFileSync(`${work.path}/made`, 'utf8')).toBe('x\n');
  });

  test('a live handle: output while it runs, any number of readers, a graceful end', async () => {
    using work = workspace();
    const script = 'trap "echo bye; exit 7" TERM; echo err >&2; echo on; while :; do sleep 0.05; done';
    const handle = await agent.sandbox.start({ command: 'sh', argv: ['-c', script], workspaceDir: work.path });
    expect(handle.backend).toBe(target.kind);
    for await (const piece of handle.read('stdout')) {
      expect('on\n').toContain(piece);
      if (handle.stdout.endsWith('\n')) break;
    }
    expect(handle.stdout).toBe('on\n');
    await handle.stop('graceful');
    const pieces = await Array.fromAsync(handle.read('stdout'));
    expect(pieces.join('')).toBe('on\nbye\n');
    expect(await handle.wait()).toMatchObject({ id: handle.id, code: 7, stdout: 'on\nbye\n' });
    expect(handle.stderr).toMatch(/^err\n/);
  });

  test('a program that ignores TERM is ended after the grace; force does not wait', async () => {
    using work = workspace();
    const request = { command: 'sh', argv: ['-c', 'trap "" TERM; echo on; sleep 60'], workspaceDir: work.path };
    for (const how of ['graceful', 'force'] as const) {
      await using handle = await agent.sandbox.start(request);
      for await (const _ of handle.read('stdout')) break;
      await handle.stop(how);
      expect(await handle.wait()).toMatchObject({ code: null, signal: 'SIGTERM', end: 'aborted' });
    }
  });

  test('limits hold, and those that are out of range are changed and told', async () => {
    using work = workspace();
    const result = await agent.sh(work, 'yes | head -c 100000; sleep 60', { timeoutMs: 1000, outputLimitBytes: 1 });
    expect(result).toMatchObject({ timedOut: true, truncated: true });
    expect(result.stdout).toHaveLength(1024);
    expect(result.warnings).toContain('outputLimitBytes is 1024 instead of 1, its least.');
    const tiny = await agent.sh(work, 'echo one process', { pids: 1, memoryMB: 32, cpus: 0.5 });
    expect(tiny).toMatchObject({ code: 0, stdout: 'one process\n' });
  });

  test.skipIf(target.weak)('the limit of processes and of memory', async () => {
    using work = workspace();
    const forks =
      'import os, time\nn = 0\ntry:\n  while True:\n    if os.fork() == 0: time.sleep(9)\n    n += 1\nexcept OSError: print(n)';
    const { stdout } = await agent.python(work, forks, { pids: 20 });
    expect(Number(stdout)).toBeGreaterThanOrEqual(19);
    expect(Number(stdout)).toBeLessThan(30);
    const big = await agent.python(work, 'x = bytearray(1 << 28)', { memoryMB: 64 });
    expect(big).toMatchObject({ code: 137, oomKilled: true, end: 'memory' });
  });

  test('a callback that throws is told about and breaks nothing', async () => {
    using work = workspace();
    const onStdout = () => {
      throw new Error('mine');
    };
    const result = await agent.sh(work, 'echo a; sleep 0.2; echo b', { onStdout });
    expect(result.stdout).toBe('a\nb\n');
    expect(result.warnings).toContain('onStdout threw and is not called any more: mine.');
  });

  test('a signal takes a run out of the queue and ends one that runs', async () => {
    using work = workspace();
    expect(await agent.sh(work, 'echo never', { signal: AbortSignal.abort() })).toMatchObject({
      end: 'aborted',
      stdout: '',
    });
    const controller = new AbortController();
    const onStdout = () => controller.abort();
    expect(await agent.sh(work, 'echo on; sleep 60', { signal: controller.signal, onStdout })).toMatchObject({
      end: 'aborted',
    });
  });
});
