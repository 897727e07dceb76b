import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../sandbox/errors.js';

/** Certificates for an engine behind TLS, in PEM. */
export interface Certificates {
  ca: Buffer;
  cert: Buffer;
  key: Buffer;
}

/** Where an engine's API is: a Unix socket or Windows pipe, or a TCP address. */
export type Endpoint = { socketPath: string } | { host: string; port: number; tls?: Certificates };

/** The address as a person writes it. */
export function endpointLabel(endpoint: Endpoint): string {
  if (!('socketPath' in endpoint)) {
    const host = endpoint.host.includes(':') ? `[${endpoint.host}]` : endpoint.host;
    return `tcp://${host}:${endpoint.port}`;
  }
  return `${/^(\/\/|\\\\)/.test(endpoint.socketPath) ? 'npipe' : 'unix'}://${endpoint.socketPath}`;
}

/**
 * Reads an address in the forms that Docker and Podman know: `unix://`, `npipe://`, `tcp://`, `http(s)://` and a bare path.
 * `certPath` is the folder that holds ca.pem, cert.pem and key.pem; it is needed where TLS is asked for.
 * @throws Error with a message for the operator when the address is of another kind, or the certificates are missing.
 */
export function parseEndpoint(address: string, tls = { wanted: false, certPath: '' }): Endpoint {
  if (/^(\/|\\\\)/.test(address)) return { socketPath: address };
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/.exec(address) ?? [];
  if (scheme === 'unix' || scheme === 'npipe') {
    if (!/^[/\\]/.test(rest)) throw new Error(`${address} names no absolute path`);
    return { socketPath: rest };
  }
  if (scheme === 'ssh') {
    throw new Error(
      `${address} goes through SSH, where bind mounts would be folders of that machine. For an engine that does share ` +
        'this file system, forward its socket (ssh -L /path/engine.sock:/remote/engine.sock host) and name unix:///path/engine.sock',
    );
  }
  if (!['tcp', 'http', 'https'].includes(scheme)) {
    throw new Error(`${address} is no address of an engine: write unix:///path, /path or tcp://host:port`);
  }
  const secure = tls.wanted || scheme === 'https';
  const { hostname, port } = new URL(`tcp://${rest}`);
  if (!hostname) throw new Error(`${address} names no host`);
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (secure ? 2376 : 2375),
    ...(secure && { tls: readCertificates(tls.certPath) }),
  };
}

function readCertificates(folder: string): Certificates {
  const read = (name: string) => {
    try {
      return readFileSync(join(folder, name));
    } catch (cause) {
      throw new Error(
        `it wants TLS, and ${name} cannot be read: ${messageOf(cause)}; put ca.pem, cert.pem and key.pem there, or let DOCKER_CERT_PATH name the folder that has them`,
        { cause },
      );
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}
