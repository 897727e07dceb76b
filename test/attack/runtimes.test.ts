import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { diagnose } from '../../src/sandbox/doctor.js';
import { python, request, resultOf } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { attacks } from './all.js';
import { ATTACKED, applies, compileAttacks } from './attack.js';

const target = targets.find(({ kind }) => kind === 'docker')!;

/** gVisor's kernel is its own: what is aimed at the supervisor, the mounts and the kernel must fail there just so. */
const TOPICS = ['writes', 'network', 'end'] as const;
/** Under gVisor the files of /proc and /sys are its own kernel's, which is the sandbox's alone. */
const OWN_KERNEL = /^(files of|modes in) \/proc/;

describe.runIf(target)('OCI runtimes of docker', () => {
  let programs: string;
  beforeAll(() => {
    programs = compileAttacks();
  });
  afterAll(() => rmSync(programs, { recursive: true }));

  test('doctor shows which there are', async () => {
    await using sandbox = await createCodeSandbox(configFor(target));
    expect(diagnose(sandbox.selection).runtimes).toEqual(expect.arrayContaining(['runc', 'crun', 'runsc']));
  });

  test('one that the engine lacks: nothing runs, and the message names those that it has', async () => {
    await using configured = await createCodeSandbox(configFor(target, { engine: { runtime: 'nonesuch' } }));
    expect(configured.available).toBe(false);
    expect(configured.backend).toMatch(/"nonesuch": it has .*runsc/);
    await using sandbox = await createCodeSandbox(configFor(target));
    const run = sandbox.runTailored(request('true', []), {}, { runtime: 'nonesuch' });
    await expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await expect(run).rejects.toThrow(/"nonesuch": it has .*runsc/);
  });

  test('crun, by the configuration: every guarantee, and a run', async () => {
    await using sandbox = await createCodeSandbox(configFor(target, { engine: { runtime: 'crun' } }));
    expect(diagnose(sandbox.selection).guarantees.map(({ status }) => status)).toEqual(Array(13).fill('enforced'));
    expect(await python(sandbox, 'print(1 + 1)')).toMatchObject({ code: 0, stdout: '2\n' });
  });

  test('runsc for one run: another kernel than the host’s', async () => {
    await using sandbox = await createCodeSandbox(configFor(target));
    const version = request('python3', ['-c', 'print(open("/proc/version").read())']);
    const own = await sandbox.runTailored(version, {}, { runtime: 'runsc' });
    expect(own.stdout).not.toBe((await resultOf(sandbox, version)).stdout);
    expect(own.code).toBe(0);
  });

  test('runsc, by the configuration: attacks come to nothing', { timeout: 900_000 }, async () => {
    // Here it runs without cgroups, which this machine's do not suit.
    const config = configFor(target, { ...ATTACKED, engine: { runtime: 'runsc', allowDegraded: true } });
    await using sandbox = await createCodeSandbox(config);
    expect(sandbox.backend).toBe('docker');
    const scene = { target: { ...target, weak: true }, sandbox, programs };
    const outcomes = [];
    for (const attack of TOPICS.flatMap(topic => attacks[topic]!)) {
      if (!applies(attack, scene.target) || OWN_KERNEL.test(attack.name)) continue;
      outcomes.push(
        `${attack.name}: ${await attack.run(scene).then(
          () => 'nothing',
          error => error.message,
        )}`,
      );
    }
    expect(outcomes.filter(outcome => !outcome.endsWith(': nothing'))).toEqual([]);
  });

  // Docker is slow to remove a container of runsc whose end containerd has missed.
  test('nothing is left of them', { timeout: 200_000 }, async () => {
    await expect.poll(() => leftovers(target), { timeout: 180_000, interval: 500 }).toEqual([]);
  });
});
