import { posix } from 'node:path';
import { mountOf, parseMountinfo } from '../../policy/mountinfo.js';

/** Names of the cgroups that instances make begin like this. */
export const INSTANCE_PREFIX = 'code-sandbox-';

/** Controllers that limit a sandbox. */
export type Controller = 'memory' | 'pids' | 'cpu';

/** Where this process may look for room in the cgroup tree. */
export type Hierarchy =
  | { version: 1; folders: Partial<Record<Controller, string>> }
  /** Its own folder, and the top of the tree. */
  | { version: 2; folders: string[] };

interface Mounted {
  root: string;
  point: string;
  type: string;
  options: string[];
}

/**
 * Finds the folders of this process's own cgroups. Pure.
 * @param membership text of /proc/self/cgroup
 * @param mountinfo text of /proc/self/mountinfo
 * @returns undefined where no hierarchy has the controllers
 */
export function hierarchyOf(membership: string, mountinfo: string): Hierarchy | undefined {
  const mounts = mountinfo.split('\n').flatMap(parse);
  const own = new Map(
    membership
      .split('\n')
      .map(line => line.split(':') as [string, string, string])
      .map(([, controllers, path]) => [controllers, path]),
  );
  const unified = mounts.find(mount => mount.type === 'cgroup2');
  const versionOne = (controller: Controller) => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    const path = [...own].find(([controllers]) => controllers?.split(',').includes(controller))?.[1];
    return mount && path !== undefined ? folderOf(mount, path) : undefined;
  };
  const memory = versionOne('memory');
  const pids = versionOne('pids');
  const cpu = versionOne('cpu');
  if (memory && pids) return { version: 1, folders: { memory, pids, ...(cpu ? { cpu } : {}) } };
  const path = own.get('');
  if (!unified || path === undefined) return undefined;
  return { version: 2, folders: [...new Set([folderOf(unified, path), unified.point])] };
}

/** The cgroups that an instance may make, to hold those of all its sandboxes. Pure. */
export function cgroupsOf({ folders }: Hierarchy, instance: string): string[] {
  return Object.values(folders).map(own => posix.join(own, `${INSTANCE_PREFIX}${instance}`));
}

/**
 * Whether a path can be the cgroup of an instance. What a claim names is ended and removed, so it must lie in the kernel's
 * own tree, and bear a name that nothing but an instance gives. Pure.
 */
export function isInstanceCgroup(path: string, mountinfo: string): boolean {
  if (posix.normalize(path) !== path || !posix.basename(path).startsWith(INSTANCE_PREFIX)) return false;
  const mount = mountOf(parseMountinfo(mountinfo), path);
  return mount !== undefined && ['cgroup', 'cgroup2'].includes(mount.type) && mount.point !== path;
}

function parse(line: string): Mounted[] {
  const [mount = '', source = ''] = line.split(' - ');
  const [, , , root, point] = mount.split(' ');
  const [type, , options = ''] = source.split(' ');
  return root && point && type?.startsWith('cgroup') ? [{ root, point, type, options: options.split(',') }] : [];
}

/** A mount can show a part of its tree only, as in containers without a namespace for cgroups. */
function folderOf({ root, point }: Mounted, path: string): string {
  const below = root !== '/' && path.startsWith(root) ? path.slice(root.length) : path;
  return posix.resolve(point, `./${below}`);
}
