import { expect, test, vi } from 'vitest';
import { GUARANTEE, type GuaranteeStatus } from '../../../src/probe/report.js';
import type { Prove } from '../../../src/sandbox/proof.js';
import { sandboxOver } from './scene.js';

const request = (network: 'deny' | 'allow') => ({
  cmd: 'true',
  args: [],
  policy: { fsRead: [], fsWrite: [], network },
});

/** A sandbox over a backend that opens nothing, and how often its network was put to the proof. */
function scene(status: GuaranteeStatus, id: number = GUARANTEE.network) {
  const proofs: string[] = [];
  const prove: Prove = async ({ name }, network = 'deny') => {
    proofs.push(network);
    const found = (each: number) => ({
      id: each,
      title: 'the network',
      status: each === id ? status : ('enforced' as const),
      evidence: ['the host answers'],
    });
    const ok = status !== 'failed';
    const reason = `guarantee ${id} (the network) does not hold: the host answers`;
    const rest = { interpreters: [], ok, degraded: false, durationMs: 0, ...(ok ? {} : { reason }) };
    return { backend: name, guarantees: [found(1), found(GUARANTEE.network)], ...rest };
  };
  const sandbox = sandboxOver({ open: () => Promise.reject(new Error('opened')) }, prove);
  return { sandbox, proofs };
}

test('runs with network allow are refused where its proof fails, which is made again after a while; others are not', async () => {
  const { sandbox, proofs } = scene('failed');
  const why =
    /^Podman 1 runs nothing with network allow: guarantee 2 \(the network\) does not hold: the host answers\.$/;
  for (let n = 0; n < 2; n++) {
    await expect(sandbox.run(request('allow'))).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await expect(sandbox.run(request('allow'))).rejects.toThrow(why);
  }
  await expect(sandbox.run(request('deny'))).rejects.toThrow('opened');
  expect(proofs).toEqual(['allow']);
  const later = performance.now() + 10_001;
  const clock = vi.spyOn(performance, 'now').mockReturnValue(later);
  await expect(sandbox.run(request('allow'))).rejects.toThrow(why);
  expect(proofs).toEqual(['allow', 'allow']);
  clock.mockRestore();
  await sandbox.close();
});

test('a network that is less than asked for is told, and used', async () => {
  const { sandbox, proofs } = scene('degraded');
  await expect(sandbox.run(request('allow'))).rejects.toThrow('opened');
  expect(await sandbox.proveNetwork()).toMatchObject({ status: 'degraded' });
  expect(proofs).toEqual(['allow']);
  await sandbox.close();
});

test('another guarantee that fails where there is a network refuses such runs as well', async () => {
  const { sandbox } = scene('failed', 1);
  const why = /^Podman 1 runs nothing with network allow: guarantee 1 .* does not hold: the host answers\.$/;
  await expect(sandbox.run(request('allow'))).rejects.toThrow(why);
  await expect(sandbox.proveNetwork()).rejects.toThrow(why);
  await sandbox.close();
});
