import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { test } from 'vitest';
import { runtimePlaces } from '../../src/launcher/folder.js';
import { supervisorBelow } from '../../src/launcher/supervisor-process.js';
import type { BackendName } from '../../src/sandbox/backend.js';
import { PATIENT_MS, settings, type Target } from './config-for.js';

export { configFor, type Target } from './config-for.js';

const isRoot = process.getuid!() === 0;

const weak = !isRoot && !delegated();

/** The engines that `make engines` started, as far as this user can use them. */
const engines = (
  isRoot
    ? [
        { name: 'docker', kind: 'docker' as const, socket: settings.DOCKER_SOCKET },
        { name: 'podman', kind: 'podman' as const, socket: settings.PODMAN_SOCKET },
      ]
    : [{ name: 'rootless', kind: 'podman' as const, socket: settings.ROOTLESS_PODMAN_SOCKET }]
)
  .filter(({ name, socket }) => isThere(name, socket))
  .map(engine => ({ ...engine, socket: engine.socket!, weak, cli: ['--socket', engine.socket!] }));

/**
 * What this user has: root has Docker and rootful Podman, the ordinary user has rootless Podman, both have crun and
 * bubblewrap. What is missing is said loudly, and is an error where skips are forbidden.
 */
const all: Target[] = [
  ...engines,
  ...(isThere('crun', '/usr/bin/crun') ? [{ name: 'oci', kind: 'oci' as const, weak, cli: ['--order', 'oci'] }] : []),
  ...(isThere('bwrap', '/usr/bin/bwrap')
    ? [{ name: 'bwrap', kind: 'bwrap' as const, weak, cli: ['--order', 'os'] }]
    : []),
]
  // bubblewrap shows the host's own system folders only.
  .filter(({ name }) => settings.ROOT_IMAGE === undefined || name !== 'bwrap')
  .map(target => ({
    ...target,
    cli: [
      ...target.cli,
      ...(settings.ROOT_IMAGE === undefined ? ['--rootfs', 'host'] : ['--image', settings.ROOT_IMAGE]),
      ...(target.weak ? ['--allow-degraded'] : []),
      ...['--probe-timeout', `${PATIENT_MS}ms`],
    ],
  }));

const wanted = settings.TARGETS?.split(',');

/** Those of them that the suites run against: TARGETS in the environment, a list of names, leaves the others out. */
export const targets = all.filter(({ name }) => !wanted || wanted.includes(name));
// Of a file none of whose suites is for these: no test at all would be an error.
if (wanted) test.skip(`on backends other than ${wanted.join(', ')}, which TARGETS leaves out`);

/** crun without an engine, also where it is not a target: some suites hold an engine against it. */
export const direct = all.find(({ kind }) => kind === 'oci');

/** What this process's sandboxes left behind on a target: names of containers in any state, supervisors, folders. */
export function leftovers(target: Target): string[] {
  return target.socket ? containers(target.kind, target.socket) : launched();
}

function launched(): string[] {
  const supervisor = supervisorBelow(process.pid);
  const folders = runtimePlaces(process.getuid!(), process.env).flatMap(place => {
    return globSync(`${place}/code-sandbox-launcher-*/owner.json`).filter(path => {
      return JSON.parse(readFileSync(path, 'utf8')).owner.pid === process.pid;
    });
  });
  return [...folders, ...(supervisor === undefined ? [] : [`process ${supervisor}`])];
}

function containers(kind: BackendName, socket: string): string[] {
  const path = kind === 'podman' ? '/v4.0.0/libpod/containers/json?all=true' : '/containers/json?all=true';
  return ask<{ Names: string[] }>(socket, path)
    .flatMap(row => row.Names)
    .filter(name => name.includes('code-sandbox-'));
}

/** Names of our networks on an engine. */
export function networksOn(kind: BackendName, socket: string): string[] {
  const path = kind === 'podman' ? '/v4.0.0/libpod/networks/json' : '/networks';
  return ask<{ Name?: string; name?: string }>(socket, path)
    .map(network => network.Name ?? network.name ?? '')
    .filter(name => name.startsWith('code-sandbox-'));
}

function ask<T>(socket: string, path: string): T[] {
  const answer = execFileSync('curl', ['-s', '--max-time', '20', '--unix-socket', socket, `http://engine${path}`]);
  return JSON.parse(answer.toString());
}

/** A user's own limits need cgroup v2 with delegated controllers. */
function delegated(): boolean {
  return existsSync('/sys/fs/cgroup/cgroup.controllers');
}

function isThere(name: string, socket: string | undefined): boolean {
  if (socket && existsSync(socket)) return true;
  const message = `SKIPPED: no ${name} (run make engines)`;
  if (settings.CODE_SANDBOX_NO_SKIPS === '1') throw new Error(message);
  process.stderr.write(`\n*** ${message} ***\n\n`);
  return false;
}
