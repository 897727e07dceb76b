import { posix } from 'node:path';
import { currentContext, dockerFolder } from './context.js';
import type { HostView } from './host.js';

const { join } = posix;

/** Where one strategy would look. */
export interface Place {
  /** In the order in which they are tried. */
  addresses: string[];
  tls?: { wanted: boolean; certPath: string };
  /** Nobody asked for this place by name: that it does not exist is no fault. */
  customary?: boolean;
}

/** One way to find an engine. Knows the host only through a {@link HostView}, so that it can be tested as data. */
export interface Strategy {
  name: string;
  /** The kind that it can only find. */
  engine?: 'podman' | 'docker';
  /** What helps when nothing listens there. */
  advice?: string;
  /** Where to look, or why it does not apply. May throw an Error with a message for the operator. */
  locate(host: HostView): Place | string;
}

/** The operator named an engine: nothing else will do. */
export function configured(address: string): Strategy {
  return { name: 'configuration', locate: host => ({ addresses: [address], tls: dockerTls(host) }) };
}

/** Every way, best first: what was asked for by name, then rootless before rootful. */
export const STRATEGIES: readonly Strategy[] = [
  {
    name: 'CONTAINER_HOST',
    engine: 'podman',
    locate: ({ env }) => (env.CONTAINER_HOST ? { addresses: [env.CONTAINER_HOST] } : 'it is not set'),
  },
  {
    name: 'DOCKER_HOST',
    locate: host =>
      host.env.DOCKER_HOST ? { addresses: [host.env.DOCKER_HOST], tls: dockerTls(host) } : 'it is not set',
  },
  { name: 'Docker context', locate: currentContext },
  {
    name: 'rootless Podman',
    engine: 'podman',
    advice:
      'systemctl --user enable --now podman.socket starts it; ' +
      'where nobody stays logged in, loginctl enable-linger keeps it running',
    locate: onLinux(host => runtimeFolders(host).map(folder => join(folder, 'podman/podman.sock'))),
  },
  {
    name: 'rootless Docker',
    engine: 'docker',
    advice: 'systemctl --user start docker starts it, once dockerd-rootless-setuptool.sh has set it up',
    locate: onLinux(host => runtimeFolders(host).map(folder => join(folder, 'docker.sock'))),
  },
  {
    name: 'rootful Podman',
    engine: 'podman',
    advice: 'systemctl enable --now podman.socket starts it',
    locate: onLinux(() => ['/run/podman/podman.sock']),
  },
  {
    name: 'rootful Docker',
    engine: 'docker',
    advice: 'systemctl start docker starts it',
    locate: onLinux(() => ['/var/run/docker.sock']),
  },
  {
    name: 'desktop',
    advice: 'start Docker Desktop, OrbStack, Colima, Rancher Desktop or podman machine',
    locate: desktop,
  },
];

function dockerTls(host: HostView): NonNullable<Place['tls']> {
  return { wanted: Boolean(host.env.DOCKER_TLS_VERIFY), certPath: host.env.DOCKER_CERT_PATH || dockerFolder(host) };
}

function onLinux(sockets: (host: HostView) => string[]): Strategy['locate'] {
  return host =>
    host.platform === 'linux' ? { addresses: sockets(host), customary: true } : 'it is a service of Linux hosts';
}

/** A service or a cron job has no XDG_RUNTIME_DIR, though its user may well have a session. */
function runtimeFolders({ env, uid }: HostView): string[] {
  const session = `/run/user/${uid}`;
  return env.XDG_RUNTIME_DIR ? [...new Set([env.XDG_RUNTIME_DIR, session])] : [session];
}

function desktop({ platform, home, env }: HostView): Place | string {
  if (platform === 'win32') {
    const pipes = ['docker_engine', 'dockerDesktopLinuxEngine', 'podman-machine-default'];
    return { addresses: pipes.map(pipe => `npipe:////./pipe/${pipe}`), customary: true };
  }
  if (platform !== 'darwin') return 'it is for macOS and Windows';
  const inHome = [
    '.docker/run/docker.sock',
    '.orbstack/run/docker.sock',
    '.colima/default/docker.sock',
    '.rd/docker.sock',
    '.local/share/containers/podman/machine/podman.sock',
  ].map(path => join(home, path));
  const temporary = env.TMPDIR ? [join(env.TMPDIR, 'podman/podman-machine-default-api.sock')] : [];
  return { addresses: [...inHome, ...temporary, '/var/run/docker.sock'], customary: true };
}
