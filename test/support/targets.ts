import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../src/config/schema.js';

/** A real engine that the suites run against. */
export interface Target {
  /** `docker`, `podman` or `rootless`. */
  name: string;
  kind: 'docker' | 'podman';
  socket: string;
  /** It cannot enforce memory and pids here (rootless Podman on cgroup v1). */
  weak: boolean;
}

const settings = { ...fromFile(), ...process.env };
const isRoot = process.getuid!() === 0;

/**
 * The engines that `make engines` started, as far as this user can use them: root has Docker and rootful Podman, the
 * ordinary user has rootless Podman. What is missing is said loudly, and is an error where skips are forbidden.
 */
export const targets: Target[] = (
  isRoot
    ? [
        { name: 'docker', kind: 'docker' as const, socket: settings.DOCKER_SOCKET, weak: false },
        { name: 'podman', kind: 'podman' as const, socket: settings.PODMAN_SOCKET, weak: false },
      ]
    : [{ name: 'rootless', kind: 'podman' as const, socket: settings.ROOTLESS_PODMAN_SOCKET, weak: !delegated() }]
).flatMap(({ socket, ...target }) => (isThere(target.name, socket) ? [{ ...target, socket: socket! }] : []));

/** The configuration that goes to a target, with weak guarantees allowed where it is weak. */
export function configFor(target: Target, more: ConfigInput = {}): ConfigInput {
  const engine = { socket: target.socket, engine: target.kind, allowDegraded: target.weak, ...more.engine };
  return { ...more, engine };
}

/** Names of all containers of ours that an engine has, in any state. */
export function leftovers(target: Target): string[] {
  const path = target.kind === 'podman' ? '/v4.0.0/libpod/containers/json?all=true' : '/containers/json?all=true';
  const answer = execFileSync('curl', [
    '-s',
    '--max-time',
    '20',
    '--unix-socket',
    target.socket,
    `http://engine${path}`,
  ]);
  const rows = JSON.parse(answer.toString()) as Array<{ Names: string[] }>;
  return rows.flatMap(row => row.Names).filter(name => name.includes('code-sandbox-'));
}

function fromFile(): Record<string, string> {
  const file = fileURLToPath(new URL('../../.engines/env', import.meta.url));
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** A user's own limits need cgroup v2 with delegated controllers. */
function delegated(): boolean {
  return existsSync('/sys/fs/cgroup/cgroup.controllers');
}

function isThere(name: string, socket: string | undefined): boolean {
  if (socket && existsSync(socket)) return true;
  const message = `SKIPPED: no engine ${name} (run make engines)`;
  if (settings.CODE_SANDBOX_NO_SKIPS === '1') throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n\n`);
  return false;
}
