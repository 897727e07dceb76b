import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ProbeInput, probe } from '../../../src/probe/probe.js';
import type { Backend, Ending, Sandbox } from '../../../src/sandbox/backend.js';
import { BackendUnavailable, InvalidRequest } from '../../../src/sandbox/errors.js';
import { plan, scene } from './scene.js';

const DEADLINE = scene().host.linger.ending;
const ended = (kind: string, errno = 0): Ending =>
  ({ trailer: { ...DEADLINE.trailer!, kind, errno } as Ending['trailer'] }) as Ending;

function backendThat(open: Backend['open']): ProbeInput['backend'] {
  return { name: 'docker', label: 'Docker 1', open, expectedMounts: () => [] } as unknown as ProbeInput['backend'];
}

/** A sandbox in which the probe says nothing and ends so. */
function sandboxThat(ending: Ending, complaint = ''): Sandbox {
  return {
    id: 'x',
    image: 'host',
    ended: false,
    async run(_program, sinks) {
      sinks.stderr(Buffer.from(complaint));
      return ending;
    },
    stop: async () => {},
    close: async () => {},
  };
}

const input = (backend: ProbeInput['backend'], more: Partial<ProbeInput> = {}): ProbeInput => ({
  backend,
  prepare: async request => {
    if (request.policy.fsWrite.length === 0) throw new InvalidRequest('no');
    const program = { argv: [], env: [], cwd: '/', deadlineMs: 1, stdin: false, rlimits: [], mounts: [] };
    return { plan, program, warnings: [], planted: async () => [], release: async () => {} };
  },
  controlSockets: [],
  allowDegraded: false,
  deadlineMs: 10_000,
  ...more,
});

describe('probe', () => {
  it('does not wait for an engine that is slow to remove', async () => {
    const slow = { ...sandboxThat(ended('exited'), 'no such file'), close: () => new Promise<void>(() => {}) };
    const report = await probe(input(backendThat(async () => slow)));
    expect(report).toMatchObject({ ok: false, reason: expect.stringContaining('no such file') });
    expect(report.durationMs).toBeLessThan(20_000);
  });

  it('ends by its deadline when an engine never answers', async () => {
    const report = await probe(
      input(
        backendThat(() => new Promise(() => {})),
        { deadlineMs: 100 },
      ),
    );
    expect(report).toMatchObject({
      ok: false,
      guarantees: [],
      reason: expect.stringMatching(
        /^Docker 1: the probe did not finish within 100 ms \(it was still opening .* for what refuses to end \(for \d+ ms\), opening .* for the attempts .*\); .* limits\.probeMs \(--probe-timeout\)$/,
      ),
    });
    expect(report.durationMs).toBeLessThan(2000);
  });

  it('ends when its caller gives up', async () => {
    const report = await probe(
      input(
        backendThat(() => new Promise(() => {})),
        { signal: AbortSignal.abort(new Error('shutting down')) },
      ),
    );
    expect(report.reason).toMatch(/shutting down/);
  });

  it('says what helps where bubblewrap may not make namespaces', async () => {
    const message = 'bwrap: setting up uid map: Permission denied';
    const report = await probe(input(backendThat(async () => Promise.reject(new BackendUnavailable(message)))));
    expect(report.reason).toMatch(/setting up uid map.*AppArmor/);
  });

  it.each([
    [ended('mount-mismatch'), /another file system than this process/],
    [ended('exec-failed', 2), /could not start the probe: exec-failed, ENOENT/],
    [ended('deadline'), /did not finish in its time/],
    [{ exitCode: 137 }, /without the supervisor’s word \(exit code 137\): broken pipe/],
  ])('tells why the probe did not come to its end: %j', async (ending, reason) => {
    const report = await probe(input(backendThat(async () => sandboxThat(ending, 'broken pipe'))));
    expect(report.ok).toBe(false);
    expect(report.reason).toMatch(reason);
  });

  it.each([
    ['whose probe breaks off', backendThat(async () => sandboxThat({ exitCode: 1 }))],
    ['that never answers', backendThat(() => new Promise(() => {}))],
  ])('leaves nothing behind on the host of an engine %s', async (_, backend) => {
    const tempRoot = await mkdtemp(join(tmpdir(), 'probe-test-'));
    await probe(input(backend, { tempRoot, deadlineMs: 200 }));
    await expect.poll(() => readdir(tempRoot)).toEqual([]);
    await rm(tempRoot, { recursive: true });
  });

  it('lets go of everything where a neighbour ends before it has said where it is', async () => {
    const count = { opened: 0, closed: 0 };
    const brief = { ...sandboxThat(ended('exited'), 'no such file'), close: async () => void count.closed++ };
    const backend = backendThat(async () => {
      count.opened++;
      return brief;
    });
    const report = await probe(input(backend, { network: 'allow' }));
    expect(report).toMatchObject({ ok: false, reason: expect.stringContaining('no such file') });
    expect(count.closed).toBe(count.opened);
  });

  it('closes a sandbox that an engine opened too late', async () => {
    let closed = 0;
    const late = { ...sandboxThat({}), close: async () => void closed++ };
    const open = () => new Promise<Sandbox>(resolve => setTimeout(resolve, 200, late));
    await probe(input(backendThat(open), { deadlineMs: 50 }));
    await expect.poll(() => closed).toBe(2);
  });
});
