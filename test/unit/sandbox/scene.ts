import { parseConfig } from '../../../src/config/parse.js';
import type { Root } from '../../../src/policy/plan.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { Basis } from '../../../src/sandbox/basis.js';
import { Presence } from '../../../src/sandbox/presence.js';
import type { Prove } from '../../../src/sandbox/proof.js';
import { RunQueue } from '../../../src/sandbox/queue.js';
import type { Roots } from '../../../src/sandbox/roots.js';
import { CodeSandbox } from '../../../src/sandbox/service.js';
import { silentLogger } from '../../../src/sandbox/silent.js';

const root: Root = { kind: 'image', name: 'fake', mounts: [], path: ['/bin'], env: {} };

/** A sandbox over a backend that is there, and does what it is told to. */
export function sandboxOver(doing: Pick<Backend, 'open'>, prove: Prove): CodeSandbox {
  const backend = {
    name: 'podman',
    label: 'Podman 1',
    engine: { rootless: true },
    runtimes: [],
    places: { sockets: [], storage: [] },
    alive: async () => true,
    close: async () => {},
    ...doing,
  } as unknown as Backend;
  const config = parseConfig({});
  return new CodeSandbox({
    config,
    presence: new Presence(async () => ({ backend, candidates: [] }), undefined, silentLogger),
    prove,
    roots: { rootFor: async () => root, close: async () => {} } as unknown as Roots,
    basis: new Basis(config),
    queue: new RunQueue(0, 10),
    logger: silentLogger,
  });
}
