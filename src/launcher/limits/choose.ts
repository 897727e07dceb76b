import { readFile } from 'node:fs/promises';
import type { ProcessService } from '../../aalis.js';
import { messageOf } from '../../sandbox/errors.js';
import { openCgroups } from './cgroup.js';
import { type Hierarchy, hierarchyOf } from './hierarchy.js';
import type { Limiter } from './limiter.js';
import { openScopes } from './scope.js';

/** The cgroup tree as this process finds it; undefined without the controllers that limit sandboxes. */
export async function findHierarchy(): Promise<Hierarchy | undefined> {
  const [membership, mountinfo] = await Promise.all(
    ['/proc/self/cgroup', '/proc/self/mountinfo'].map(path => readFile(path, 'utf8').catch(() => '')),
  );
  return hierarchyOf(membership!, mountinfo!);
}

/**
 * The best way to limit sandboxes on this host: scopes of systemd, cgroups of this process's own, or none.
 * @param instance names the folders of cgroups that hold all of its sandboxes'
 */
export async function chooseLimiter(
  process: ProcessService,
  hierarchy: Hierarchy | undefined,
  instance: string,
): Promise<Limiter> {
  const root = globalThis.process.getuid?.() === 0;
  if (!hierarchy) return unlimited('no cgroup hierarchy with the controllers memory and pids is mounted');
  const reasons: string[] = [];
  const open = async (way: () => Promise<Limiter>) => {
    return way().catch(error => {
      reasons.push(messageOf(error));
      return undefined;
    });
  };
  return (
    (hierarchy.version === 2 ? await open(() => openScopes(process, root)) : undefined) ??
    (await open(() => openCgroups(hierarchy, instance))) ??
    unlimited(reasons.join('; '))
  );
}

function unlimited(reason: string): Limiter {
  return {
    label: `no limits of memory and processes: ${reason}`,
    confine: async () => ({
      prefix: [],
      mounts: [],
      adopt: async () => {},
      oomKilled: async () => false,
      remove: async () => {},
    }),
    close: async () => {},
  };
}
