import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { engineApi } from './contenders/engine-api.mjs';
import { engineCli } from './contenders/engine-cli.mjs';
import { bare, bubblewrap } from './contenders/host.mjs';
import { ours } from './contenders/ours.mjs';
import { runtimeByHand } from './contenders/runtime.mjs';
import { sandboxRuntime } from './contenders/sandbox-runtime.mjs';

/** How many sandboxes wait in the contenders that start ahead: the default of the configuration. */
const WARM = 2;
const root = fileURLToPath(new URL('..', import.meta.url));

/** @typedef {import('./contenders/contender.mjs').Entry} Entry */

/**
 * What this process's user has: no sandbox, bubblewrap, both engines each by command line and by hand, and this package.
 * @returns {{ entries: Entry[], configs: Record<string, object>, work: string }} `configs`: this package's backends
 */
export function allContenders() {
  const { DOCKER_SOCKET: docker, PODMAN_SOCKET: podman } = engines();
  const work = workFolder();
  const entries = [
    bare(),
    bubblewrap(work),
    sandboxRuntime(work),
    ...(docker ? dockerContenders(docker, work) : []),
    ...(podman ? podmanContenders({ label: 'Podman', socket: podman, env: testEngineEnv(), work }) : []),
    ...direct(work),
  ];
  const configs = {
    ...(docker ? { Docker: dockerConfig(docker), 'Docker, crun': dockerConfig(docker, 'crun') } : {}),
    ...(podman ? { Podman: podmanConfig(podman) } : {}),
    crun: OCI,
    bubblewrap: BWRAP,
  };
  return { entries, configs, work };
}

/** Runs `node` as the engines' ordinary user, in that user's own copy of this checkout; undefined where there is none. */
export function rootlessCommand() {
  return engines().ROOTLESS_USER && process.getuid?.() === 0
    ? ['docker/engines/as-user', `ROOTLESS_PODMAN_SOCKET=${engines().ROOTLESS_PODMAN_SOCKET}`, 'node']
    : undefined;
}

/**
 * What an ordinary user has besides.
 * @returns {{ entries: Entry[], configs: Record<string, object>, work?: string }}
 */
export function ordinaryContenders() {
  const { ROOTLESS_PODMAN_SOCKET: socket } = process.env;
  if (!socket) return { entries: [], configs: {} };
  const work = workFolder();
  const entries = podmanContenders({ label: 'rootless Podman', socket, env: process.env, work, weak: true });
  const own = direct(work).map(entry => ({ ...entry, name: `${entry.name} (rootless)` }));
  const configs = { 'rootless Podman': podmanConfig(socket, true) };
  return { entries: [...entries, ...own], configs, work };
}

function dockerContenders(socket, work) {
  const cli = ['docker', '-H', `unix://${socket}`];
  return [
    engineCli({ name: 'docker run', cli, env: process.env, work }),
    engineApi({ name: 'dockerode by hand', socket, cli, env: process.env, work }),
    ours({ name: 'Docker, cold', config: dockerConfig(socket), warm: 0, work }),
    ours({ name: 'Docker with crun, cold', config: dockerConfig(socket, 'crun'), warm: 0, work }),
    ours({ name: 'Docker, warm', config: dockerConfig(socket), warm: WARM, work }),
  ];
}

function podmanContenders({ label, socket, env, work, weak = false }) {
  const config = podmanConfig(socket, weak);
  const own = label === 'Podman' ? '' : ` (${label.replace(' Podman', '')})`;
  const cli = ['podman'];
  return [
    engineCli({ name: `podman run${own}`, cli, env, work }),
    engineApi({ name: `dockerode by hand, ${label}`, socket, cli, env, work }),
    ours({ name: `${label}, cold`, config, warm: 0, work }),
    ours({ name: `${label}, warm`, config, warm: WARM, work }),
  ];
}

function direct(work) {
  return [
    runtimeByHand('crun', work),
    ours({ name: 'crun without an engine', config: OCI, warm: 0, work }),
    ours({ name: 'crun without an engine, warm', config: OCI, warm: WARM, work }),
    ours({ name: 'bubblewrap', config: BWRAP, warm: 0, work }),
  ];
}

const OCI = { order: 'oci', engine: { allowDegraded: true, runtime: 'crun' } };
const BWRAP = { order: 'os', fallback: 'os', engine: { allowDegraded: true } };

function dockerConfig(socket, runtime = '') {
  return { order: 'engine', engine: { engine: 'docker', socket, runtime } };
}

function podmanConfig(socket, weak = false) {
  return { order: 'engine', engine: { engine: 'podman', socket, allowDegraded: weak } };
}

/** The sockets that `make engines` wrote down; the environment goes first. */
function engines() {
  const file = join(root, '.engines/env');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return { ...Object.fromEntries(lines.map(line => line.split('='))), ...process.env };
}

/** With what the command line reaches the storage of the rootful test engine, where `make engines` made one. */
function testEngineEnv() {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own
  const script = '. docker/engines/common.sh; [ -d "$data" ] && printf "%s\\n" "${rootful[@]:1}"';
  try {
    const lines = execFileSync('bash', ['-c', script], { cwd: root, encoding: 'utf8' }).trim().split('\n');
    return { ...Object.fromEntries(lines.map(line => line.split('='))), ...process.env };
  } catch {
    return process.env;
  }
}

function workFolder() {
  return mkdtempSync(join(tmpdir(), 'code-sandbox-bench-'));
}
