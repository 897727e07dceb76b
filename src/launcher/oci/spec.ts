import { closedPaths, HOSTNAME, SUPERVISOR } from '../../hardening/container.js';
import type { Ulimit } from '../../hardening/ulimits.js';
import type { Mount, Plan } from '../../policy/plan.js';
import type { Ids } from '../../policy/user.js';
import type { RuntimeConfig } from './config.js';
import { mountsOf } from './mounts.js';

/** All that a bundle follows from. Pure data, so that config.json can be tested as data. */
export interface BundleInput {
  plan: Plan;
  /** Folder of the host that becomes the root: mount points, links and a few files. */
  base: string;
  supervisorDir: string;
  /** Folder of the host with the hosts, hostname and resolv.conf that a sandbox sees. */
  etcDir: string;
  /** File of the host that names the resolver, where the network is `allow`. */
  resolver?: string;
  /** The sandbox's own part of the cgroup tree. */
  cgroups: readonly Mount[];
  ulimits: readonly Ulimit[];
  /** What the code's own ids are called inside. */
  inside: Ids;
  /** Groups beyond the code's own can be given: the service is root. */
  privileged: boolean;
  /** Seconds for which the supervisor waits for its frame. */
  idleSeconds: number;
}

const NAMESPACES = ['user', 'pid', 'mount', 'ipc', 'uts', 'network', 'cgroup'] as const;

/**
 * The config.json of a sandbox. Root or not, its code lives in a user namespace in which one id of the host exists: the
 * code's own. What escaped would still be that user and nobody else.
 */
export function runtimeConfig(input: BundleInput): RuntimeConfig {
  const { uid, gid, groups } = input.plan.user;
  const additionalGids = input.privileged ? groups : [];
  const { masked, readOnly } = closedPaths('as-mounted', uid);
  return {
    ociVersion: '1.0.2',
    process: {
      terminal: false,
      user: { ...input.inside, ...(additionalGids.length > 0 ? { additionalGids } : {}) },
      args: [SUPERVISOR, String(input.idleSeconds)],
      env: [],
      cwd: '/',
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
      rlimits: input.ulimits.map(({ type, soft, hard }) => ({ type: `RLIMIT_${type.toUpperCase()}`, soft, hard })),
    },
    root: { path: input.base, readonly: true },
    hostname: HOSTNAME,
    mounts: mountsOf(input),
    linux: {
      uidMappings: [{ containerID: input.inside.uid, hostID: uid, size: 1 }],
      gidMappings: [
        { containerID: input.inside.gid, hostID: gid, size: 1 },
        ...additionalGids.map(group => ({ containerID: group, hostID: group, size: 1 })),
      ],
      namespaces: NAMESPACES.map(type => ({ type })),
      maskedPaths: masked,
      readonlyPaths: readOnly,
    },
  };
}
