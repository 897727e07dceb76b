import { parseConfig } from '../../../src/config/parse.js';
import type { Root } from '../../../src/policy/plan.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { Basis } from '../../../src/sandbox/basis.js';
import { Presence, type Search } from '../../../src/sandbox/presence.js';
import type { Prove } from '../../../src/sandbox/proof.js';
import { RunQueue } from '../../../src/sandbox/queue.js';
import type { Roots } from '../../../src/sandbox/roots.js';
import { CodeSandbox } from '../../../src/sandbox/service.js';
import { silentLogger } from '../../../src/sandbox/silent.js';

const root: Root = { kind: 'image', name: 'fake', mounts: [], path: ['/bin'], env: {} };

/** A backend that is there, and does what it is told to. */
export function backendThat(doing: Partial<Backend>): Backend {
  return {
    name: 'podman',
    label: 'Podman 1',
    engine: { rootless: true },
    runtimes: [],
    places: { sockets: [], storage: [] },
    alive: async () => true,
    close: async () => {},
    ...doing,
  } as unknown as Backend;
}

/** What else of a sandbox a test has in its hand. */
interface Else {
  /** One that is shared. */
  queue?: RunQueue;
  /** Instead of one that finds the backend. */
  search?: Search;
}

/** A sandbox over such a one. */
export function sandboxOver(doing: Partial<Backend>, prove: Prove, { queue, search }: Else = {}): CodeSandbox {
  const backend = backendThat(doing);
  const config = parseConfig({});
  return new CodeSandbox({
    config,
    presence: new Presence(search ?? (async () => ({ backend, candidates: [] })), silentLogger),
    prove,
    roots: { rootFor: async () => root, close: async () => {} } as unknown as Roots,
    basis: new Basis(config),
    queue: queue ?? new RunQueue(0, 10),
    logger: silentLogger,
  });
}
