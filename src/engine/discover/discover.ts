import { stat } from 'node:fs/promises';
import type { ProcessService } from '../../aalis.js';
import { TOOL_PLACES } from '../../launcher/tool-path.js';
import { EngineClient } from '../client.js';
import { type Endpoint, endpointLabel, parseEndpoint } from '../endpoint.js';
import { explain } from './explain.js';
import { type HostView, thisHost } from './host.js';
import { startPodmanService } from './service.js';
import { configured, type Place, STRATEGIES, type Strategy } from './strategies.js';

/** What to look for. */
export interface DiscoverOptions {
  engine: 'auto' | 'podman' | 'docker';
  /** The operator's own choice; nothing else is tried then. */
  endpoint?: string;
  /** Starts the podman command where no service is found. */
  process: ProcessService;
  /** For each ping, in milliseconds; default 2,000. */
  deadlineMs?: number;
  /** Default: the host that this process runs on. */
  host?: HostView;
}

/** One place that was tried. */
export interface Attempt {
  strategy: string;
  endpoint?: string;
  /** `not-applicable`: there is nothing of the kind here; `declined`: there is, and it cannot be used. */
  outcome: 'connected' | 'declined' | 'not-applicable';
  /** For the operator. */
  reason: string;
  /** The caller's, to keep or to close. */
  client?: EngineClient;
}

/** Tries one place after the other, best first. Whoever has found what it wants stops asking. */
export async function* discover(options: DiscoverOptions): AsyncGenerator<Attempt, void, undefined> {
  const host = options.host ?? thisHost();
  const tried = new Map<string, string>();
  for (const strategy of options.endpoint ? [configured(options.endpoint)] : STRATEGIES) {
    yield* attemptAll(strategy, options, host, tried);
  }
  if (!options.endpoint) yield await attemptCommand(options, host);
}

async function* attemptAll(
  strategy: Strategy,
  { engine, deadlineMs = 2000 }: DiscoverOptions,
  host: HostView,
  tried: Map<string, string>,
): AsyncGenerator<Attempt, void, undefined> {
  const place = whereabouts(strategy, engine, host);
  if ('outcome' in place) return yield place;
  for (const address of place.addresses) {
    const attempt = { strategy: strategy.name, endpoint: address };
    try {
      const endpoint = parseEndpoint(address, place.tls);
      attempt.endpoint = endpointLabel(endpoint);
      const key = await identity(endpoint);
      const earlier = tried.get(key);
      if (earlier) {
        yield { ...attempt, outcome: 'not-applicable', reason: `it is the same socket as that of ${earlier}` };
        continue;
      }
      tried.set(key, strategy.name);
      yield await connect(endpoint, attempt, { engine, deadlineMs });
    } catch (error) {
      yield { ...attempt, ...explain(error, strategy, place.customary === true) };
    }
  }
}

function whereabouts(strategy: Strategy, engine: DiscoverOptions['engine'], host: HostView): Place | Attempt {
  const attempt = { strategy: strategy.name };
  if (engine !== 'auto' && strategy.engine && strategy.engine !== engine) {
    return { ...attempt, outcome: 'not-applicable', reason: `the configuration asks for ${engine}` };
  }
  try {
    const place = strategy.locate(host);
    return typeof place === 'string' ? { ...attempt, outcome: 'not-applicable', reason: place } : place;
  } catch (error) {
    return { ...attempt, outcome: 'declined', reason: (error as Error).message };
  }
}

async function connect(
  endpoint: Endpoint,
  attempt: Pick<Attempt, 'strategy' | 'endpoint'>,
  { engine, deadlineMs }: { engine: DiscoverOptions['engine']; deadlineMs: number },
): Promise<Attempt> {
  const client = await EngineClient.connect(endpoint, { deadlineMs });
  if (engine === 'auto' || client.facts.kind === engine) {
    return { ...attempt, outcome: 'connected', reason: client.label, client };
  }
  await client.close();
  return { ...attempt, outcome: 'declined', reason: `it is ${client.label}; the configuration asks for ${engine}` };
}

async function attemptCommand({ engine, process }: DiscoverOptions, host: HostView): Promise<Attempt> {
  const attempt = { strategy: 'podman command' };
  if (engine === 'docker')
    return { ...attempt, outcome: 'not-applicable', reason: 'the configuration asks for docker' };
  if (host.platform !== 'linux') return { ...attempt, outcome: 'not-applicable', reason: 'it is for Linux hosts' };
  try {
    await process.execFile('podman', ['--version'], { timeout: 5000 });
  } catch {
    return { ...attempt, outcome: 'not-applicable', reason: `there is no podman in ${TOOL_PLACES}` };
  }
  try {
    const client = await startPodmanService(process, host);
    return { ...attempt, endpoint: endpointLabel(client.endpoint), outcome: 'connected', reason: client.label, client };
  } catch (error) {
    return { ...attempt, outcome: 'declined', reason: (error as Error).message };
  }
}

/** Two paths to one socket file have the same; what does not exist is told apart by its address. */
async function identity(endpoint: Endpoint): Promise<string> {
  const file =
    'socketPath' in endpoint ? await stat(endpoint.socketPath, { bigint: true }).catch(() => undefined) : undefined;
  return file?.ino ? `${file.dev}:${file.ino}` : endpointLabel(endpoint);
}
