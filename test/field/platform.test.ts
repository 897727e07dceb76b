import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { diagnose } from '../../src/sandbox/doctor.js';
import { silentLogger } from '../../src/sandbox/silent.js';
import { request, resultOf } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Cases from the field about engines, images and interpreters; docs/field-cases.md lists them all. */
describe.each(targets)('field cases, platform, on $name', target => {
  test.runIf(target.weak)(
    'case 15: limits that are not enforced are found by the probe and said out loud',
    async () => {
      await using strict = await createCodeSandbox(configFor(target, { engine: { allowDegraded: false } }));
      expect(strict.available).toBe(false);
      expect(strict.backend).toMatch(/memory/);
      await using lenient = await createCodeSandbox(configFor(target));
      const { degraded, guarantees, advice } = diagnose(lenient.selection);
      expect(degraded).toBe(true);
      expect(guarantees.find(({ id }) => id === 6)?.status).toBe('degraded');
      expect(advice.join()).toMatch(/cgroup v2/);
    },
  );

  test.runIf(!target.weak)('case 15: limits that are said to be enforced were attempted', async () => {
    await using sandbox = await createCodeSandbox(configFor(target));
    const memory = diagnose(sandbox.selection).guarantees.find(({ id }) => id === 6);
    expect(memory).toMatchObject({ status: 'enforced' });
    expect(memory!.evidence.join()).toMatch(/a process was ended at/);
  });

  test('case 34: an interpreter by the path that the host knows it by', async () => {
    const said: string[] = [];
    const logger = { ...silentLogger, warn: (line: string) => said.push(line) };
    await using sandbox = await createCodeSandbox(configFor(target), { logger });
    const path = realpathSync('/usr/bin/python3');
    expect(await resultOf(sandbox, request(path, ['-c', 'print(1)']))).toMatchObject({ code: 0, stdout: '1\n' });
    using work = workspace();
    const venv = `${work.path}/venv/bin/python`;
    expect(await resultOf(sandbox, request(venv, ['-c', 'print(1)']))).toMatchObject({ code: 0, stdout: '1\n' });
    expect(said.join('\n')).toContain(venv);
    const missing = sandbox.run(request('/opt/nonesuch/bin/ruby', []));
    await expect(missing).rejects.toMatchObject({ name: 'InvalidRequest' });
    await expect(missing).rejects.toThrow(/"\/opt\/nonesuch\/bin\/ruby".*python3/);
  });

  test('case 35: an image that is not there is an error at once, with what to do', async () => {
    const started = performance.now();
    await using sandbox = await createCodeSandbox(configFor(target, { root: { image: 'nonesuch.test/image:1' } }));
    const run = sandbox.run(request('true', []));
    await expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await expect(run).rejects.toThrow(/nonesuch\.test\/image:1/);
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('case 44: no backend, no run', async () => {
    const engine = { socket: '/nonexistent/engine.sock', engine: 'auto' as const };
    await using sandbox = await createCodeSandbox({ ...configFor(target), engine, order: 'engine' });
    expect(sandbox.available).toBe(false);
    expect(sandbox.backend).toMatch(/^none \(/);
    await expect(sandbox.run(request('true', []))).rejects.toMatchObject({ name: 'BackendUnavailable' });
  });
});
