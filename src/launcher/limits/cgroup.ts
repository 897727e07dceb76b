import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { posix } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Limits } from '../../policy/plan.js';
import { type Controller, type Hierarchy, INSTANCE_PREFIX } from './hierarchy.js';
import type { Confinement, Limiter } from './limiter.js';
import { type Setting, settingsV1, settingsV2 } from './settings.js';

/** Where a sandbox sees its own part of the tree. */
export const CGROUP_ROOT = '/sys/fs/cgroup';
/** How long the kernel may take to let go of what is dead. */
const RELEASE_MS = 10_000;

/**
 * A command that begins in its cgroups, and with it the namespace of cgroups that it makes: what is moved later sees its
 * path on the host in /proc/self/cgroup. A thread that moves itself waits for no other (measured: 0.05 ms; a process that is
 * moved, or moves itself, 8 ms for each hierarchy), and the shell has one thread; only cgroup v1 moves single threads.
 */
const ENTER = 'until [ "$1" = -- ]; do echo 0 > "$1" || exit; shift; done; shift; exec "$@"';
/** The launcher itself stays there. */
const LAUNCHERS = 1;

/** One folder of the tree that gets a folder for each sandbox. */
interface Branch {
  folder: string;
  /** File by which the shell enters. */
  door: 'tasks' | 'cgroup.procs';
  settings(limits: Limits): Setting[];
  /** Path inside a sandbox, and the file that counts kills for want of memory. */
  shown?: { target: string; counter: string };
}

/**
 * Limits through folders of the cgroup tree that this process may make, below its own.
 * @param instance distinguishes the folder that holds those of all its sandboxes
 * @throws Error with the reason where it may not
 */
export async function openCgroups(hierarchy: Hierarchy, instance: string): Promise<Limiter> {
  const name = `${INSTANCE_PREFIX}${instance}`;
  const branches =
    hierarchy.version === 1 ? await branchesV1(hierarchy.folders, name) : await branchV2(hierarchy.folders, name);
  return {
    label: `cgroup v${hierarchy.version}`,
    confine: (id, limits) => confine(branches, id, limits),
    close: async () => {
      await Promise.all(branches.map(({ folder }) => endCgroup(folder)));
    },
  };
}

async function branchesV1(folders: Partial<Record<Controller, string>>, name: string): Promise<Branch[]> {
  const entries = Object.entries(folders) as Array<[Controller, string]>;
  const branches = entries.map(([controller, own]): Branch => {
    const shown = { target: `${CGROUP_ROOT}/memory`, counter: 'memory.oom_control' };
    return {
      folder: posix.join(own, name),
      door: 'tasks',
      settings: limits => settingsV1(controller, limits),
      ...(controller === 'memory' ? { shown } : {}),
    };
  });
  const made: string[] = [];
  try {
    for (const { folder } of branches) {
      await mkdir(folder);
      made.push(folder);
    }
  } catch (error) {
    for (const folder of made) await removeCgroup(folder);
    throw error;
  }
  return branches;
}

/** A folder with processes of its own, as a service's is, cannot hand controllers on; root finds room at the top. */
async function branchV2(candidates: string[], name: string): Promise<Branch[]> {
  const reasons: string[] = [];
  for (const own of candidates) {
    const folder = posix.join(own, name);
    try {
      await enableControllers(own);
      await mkdir(folder);
      await enableControllers(folder);
      return [
        {
          folder,
          door: 'cgroup.procs',
          settings: settingsV2,
          shown: { target: CGROUP_ROOT, counter: 'memory.events' },
        },
      ];
    } catch (error) {
      reasons.push((error as Error).message);
      await rmdir(folder).catch(() => {});
    }
  }
  throw new Error(reasons.join('; '));
}

async function enableControllers(folder: string): Promise<void> {
  const control = posix.join(folder, 'cgroup.subtree_control');
  const on = (await readFile(control, 'utf8')).trim().split(' ');
  if (!['memory', 'pids'].every(controller => on.includes(controller))) await writeFile(control, '+memory +pids');
  await writeFile(control, '+cpu').catch(() => {});
}

async function confine(branches: Branch[], id: string, limits: Limits): Promise<Confinement> {
  const withLauncher = { ...limits, pids: limits.pids + LAUNCHERS };
  const own = branches
    .map(({ settings, ...branch }) => ({
      ...branch,
      folder: posix.join(branch.folder, id),
      values: settings(withLauncher),
    }))
    .filter(({ values }) => values.length > 0);
  const remove = async () => {
    await Promise.all(own.map(({ folder }) => removeCgroup(folder)));
  };
  try {
    for (const { folder, values } of own) {
      await mkdir(folder);
      for (const setting of values) apply(folder, setting);
    }
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    prefix: ['sh', '-c', ENTER, 'sh', ...own.map(({ folder, door }) => posix.join(folder, door)), '--'],
    mounts: own.flatMap(({ folder, shown }) => (shown ? [{ source: folder, target: shown.target, mode: 'ro' }] : [])),
    adopt: async pid => {
      await Promise.all(own.map(({ folder }) => moveTo(folder, pid)));
    },
    oomKilled: async () => {
      const { folder, shown } = own.find(branch => branch.shown)!;
      const text = await readFile(posix.join(folder, shown!.counter), 'utf8').catch(() => '');
      return /^oom_kill [1-9]/m.test(text);
    },
    remove,
  };
}

/** Launchers may put it elsewhere, as runc does. A look costs nothing, a move 10 to 20 ms, also one to where it is (measured). */
async function moveTo(folder: string, pid: number): Promise<void> {
  const procs = posix.join(folder, 'cgroup.procs');
  const there = readFileSync(procs, 'utf8').split('\n');
  if (!there.includes(String(pid))) await writeFile(procs, String(pid));
}

/** In place: what lies in the kernel's memory takes less time than a thread that would do it. */
function apply(folder: string, { file, value, optional }: Setting): void {
  try {
    writeFileSync(posix.join(folder, file), value);
  } catch (error) {
    if (!optional || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Removes a cgroup whose processes are dead or dying; one that is not there is fine. */
export async function removeCgroup(folder: string): Promise<void> {
  const giveUp = performance.now() + RELEASE_MS;
  for (;;) {
    try {
      return await rmdir(folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EBUSY' || performance.now() > giveUp) throw error;
      await sleep(5);
    }
  }
}

/** Ends what is still in a cgroup and those below it, and removes them. */
export async function endCgroup(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await endCgroup(posix.join(folder, entry.name));
  const pids = await readFile(posix.join(folder, 'cgroup.procs'), 'utf8').catch(() => '');
  // A process that this namespace cannot see is listed as 0, which would mean this process's own group.
  for (const pid of pids.split('\n').map(Number).filter(Boolean)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  await removeCgroup(folder);
}
