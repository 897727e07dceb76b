import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../support/agent.js';
import { agentOn } from '../support/agent-on.js';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const MiB = 1024 * 1024;
const CHUNK = Buffer.alloc(MiB, 'stdin');
const COUNT = 'import sys\nn = 0\nwhile b := sys.stdin.buffer.read(1 << 16): n += len(b)\nprint(n)';

/** Counts what is taken from it. */
function source(chunks: number) {
  const state = { taken: 0, destroyed: false };
  const stream = new Readable({
    read() {
      state.taken += 1;
      this.push(state.taken > chunks ? null : CHUNK);
    },
    destroy(error, done) {
      state.destroyed = true;
      done(error);
    },
  });
  return { stream, state };
}

describe.each(targets)('stdin on $name', target => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await agentOn(target);
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  test('text and bytes arrive exactly, and then the end', async () => {
    using work = workspace();
    const bytes = Buffer.from([0, 1, 255, 10, 13, 254]);
    expect(await agent.sh(work, 'cat', { stdin: 'line\nŁ' })).toMatchObject({ stdout: 'line\nŁ', code: 0 });
    expect(await agent.sh(work, 'od -An -tx1', { stdin: bytes })).toMatchObject({ stdout: ' 00 01 ff 0a 0d fe\n' });
    expect(await agent.sh(work, 'cat; echo end', { stdin: '' })).toMatchObject({ stdout: 'end\n' });
    expect(await agent.sh(work, 'cat; echo end')).toMatchObject({ stdout: 'end\n' });
  });

  test('1 GiB arrives whole, in flat memory', { timeout: 300_000 }, async () => {
    using work = workspace();
    const before = process.memoryUsage().rss;
    const { stream } = source(1024);
    const result = await agent.python(work, COUNT, { stdin: stream, timeoutMs: 240_000 });
    expect(result).toMatchObject({ code: 0, stdout: `${1024 * MiB}\n` });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * MiB);
  });

  test('it is read at the program’s pace, and one that does not read it does not hang', async () => {
    using work = workspace();
    const { stream, state } = source(1024);
    const result = await agent.sh(work, 'sleep 1; echo done', { stdin: stream });
    expect(result).toMatchObject({ code: 0, stdout: 'done\n', end: 'exit' });
    expect(state.taken).toBeLessThan(64);
    expect(state.destroyed).toBe(true);
  });

  test('an early exit is no error, and stops reading', async () => {
    using work = workspace();
    for (let round = 0; round < 5; round++) {
      const { stream, state } = source(1024);
      expect(await agent.sh(work, 'head -c 5', { stdin: stream })).toMatchObject({ code: 0, stdout: 'stdin' });
      expect(state.taken).toBeLessThan(1024);
    }
  });

  test('a time limit, a stop and a source that breaks off end a run that reads', async () => {
    using work = workspace();
    const endless = () => new Readable({ read() {} });
    expect(await agent.sh(work, 'cat', { stdin: endless(), timeoutMs: 500 })).toMatchObject({ timedOut: true });
    const request = { command: 'sh', argv: ['-c', 'echo on; cat'], workspaceDir: work.path };
    const handle = await agent.sandbox.start({ ...request, stdin: endless() });
    for await (const _ of handle.read('stdout')) break;
    await handle.stop('force');
    expect(await handle.wait()).toMatchObject({ end: 'aborted' });
    const broken = endless();
    const onStdout = () => broken.destroy(new Error('cut'));
    const cut = await agent.sandbox.run({ ...request, stdin: broken, onStdout });
    expect(cut.end).toBe('aborted');
    expect(cut.warnings).toContain('stdin broke off: cut.');
  });
});
