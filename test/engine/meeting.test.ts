import { expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { configFor } from '../support/targets.js';

const docker = kinds.find(({ kind }) => kind === 'docker');

// As engines of the tests' own are started: with --iptables=false.
test.runIf(docker)('where Docker leaves the firewall alone runs meet, and the probe tells', async () => {
  await using engine = await OwnEngine.start(docker!, { apart: true });
  await using sandbox = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
  const { status, evidence } = await sandbox.proveNetwork();
  expect(status).toBe('degraded');
  expect(evidence[0]).toMatch(/^another run answers at \d/);
});
