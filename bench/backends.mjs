import { fileURLToPath } from 'node:url';
import { parseConfig } from '../dist/config/parse.js';
import { createLocalProcess } from '../dist/launcher/process.js';
import { currentOwner } from '../dist/reaper/owner.js';
import { Basis } from '../dist/sandbox/basis.js';
import { select } from '../dist/sandbox/select.js';
import { silentLogger } from '../dist/sandbox/silent.js';

/**
 * A backend without the service in front of it, so that each step of a run can be looked at. It is not probed.
 * @param {object} input the package's configuration
 */
export async function openBackend(input) {
  const config = parseConfig({ ...input, root: { rootfs: 'host' } });
  const engine = {
    instance: 'bench',
    owner: currentOwner(),
    idleSeconds: 120,
    etcDir: fileURLToPath(new URL('../init/etc', import.meta.url)),
  };
  const probe = async ({ name }) => ({
    backend: name,
    guarantees: [],
    interpreters: [],
    ok: true,
    degraded: false,
    durationMs: 0,
  });
  const { backend, candidates } = await select({
    config,
    process: createLocalProcess(),
    logger: silentLogger,
    engine,
    probe,
  });
  if (!backend) throw new Error(candidates.map(({ reason }) => reason).join('; '));
  const basis = new Basis(config);
  return { backend, facts: { ...(await basis.facts(backend)), root: await basis.hostRoot() } };
}
