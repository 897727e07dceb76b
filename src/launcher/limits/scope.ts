import { posix } from 'node:path';
import type { ProcessService } from '../../aalis.js';
import { CGROUP_ROOT } from './cgroup.js';
import type { Limiter } from './limiter.js';
import { scopeProperties } from './settings.js';

const TRIAL_MS = 5000;
/** The launcher itself stays in the scope. */
const LAUNCHERS = 1;
/** Since systemd 253 a scope that lost a process for want of memory is ended whole, unless it says otherwise. */
const OOM_POLICY = 'OOMPolicy=continue';

/**
 * Limits through transient scopes of systemd on cgroup v2: of the user's manager, or of the system's for root.
 * @throws Error with the reason where there is no such manager, or it cannot
 */
export async function openScopes(process: ProcessService, root: boolean): Promise<Limiter> {
  const manager = root ? ['--slice=system.slice'] : ['--user', '--slice=app.slice'];
  const command = (properties: string[]) => [
    'systemd-run',
    ...manager,
    '--scope',
    '--quiet',
    '--collect',
    ...properties.map(property => `--property=${property}`),
  ];
  // It tells where scopes lie in the tree, too.
  const trial = async (...policy: string[]) => {
    const [name, ...args] = [...command(['MemoryMax=64M', 'TasksMax=16', ...policy]), '--', 'cat', '/proc/self/cgroup'];
    const { stdout } = await process.execFile(name!, args, { timeout: TRIAL_MS });
    const scope = /^0::(.*\.scope)$/m.exec(stdout)?.[1];
    if (!scope) throw new Error('systemd puts scopes on cgroup v1 here');
    return { slice: posix.dirname(scope), policy };
  };
  const { slice, policy } = await trial(OOM_POLICY).catch(() => trial());
  return {
    label: root ? 'systemd scopes' : 'scopes of the user’s systemd',
    confine: async (id, limits) => ({
      prefix: [...command([...scopeProperties(limits, LAUNCHERS), ...policy]), `--unit=code-sandbox-${id}`, '--'],
      mounts: [{ source: posix.join(CGROUP_ROOT, slice, `code-sandbox-${id}.scope`), target: CGROUP_ROOT, mode: 'ro' }],
      // systemd-run has put it there before the launcher began.
      adopt: async () => {},
      // The scope is gone with its last process.
      oomKilled: async () => false,
      remove: async () => {},
    }),
    close: async () => {},
  };
}
