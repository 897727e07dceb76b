import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { HostView } from './host.js';
import type { Place } from './strategies.js';

/** Folder of the docker command's configuration. */
export function dockerFolder(host: HostView): string {
  return host.env.DOCKER_CONFIG || join(host.home, '.docker');
}

/**
 * The engine of the docker command's current context, or why there is none.
 * @throws Error with a message for the operator when the context cannot be read.
 */
export function currentContext(host: HostView): Place | string {
  const folder = dockerFolder(host);
  const configured = () => parse<{ currentContext?: string }>(host.read(join(folder, 'config.json')))?.currentContext;
  const name = host.env.DOCKER_CONTEXT || configured();
  if (!name || name === 'default') return 'the docker command has no context but the default one';
  // The folder of a context is named for the SHA-256 of its name.
  const digest = createHash('sha256').update(name).digest('hex');
  const file = join(folder, 'contexts', 'meta', digest, 'meta.json');
  const meta = parse<{ Endpoints?: { docker?: { Host?: string } } }>(host.read(file));
  const address = meta?.Endpoints?.docker?.Host;
  if (!address) throw new Error(`Docker's current context is "${name}", but ${file} names no address for it`);
  const certPath = join(folder, 'contexts', 'tls', digest, 'docker');
  return { addresses: [address], tls: { wanted: host.read(join(certPath, 'cert.pem')) !== undefined, certPath } };
}

function parse<T>(text: string | undefined): T | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
