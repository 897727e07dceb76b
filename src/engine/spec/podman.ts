import {
  closedPaths,
  closesProc,
  etcMounts,
  HOSTNAME,
  SUPERVISOR,
  supervisorMount,
  type Tmpfs,
  tmpfsOf,
} from '../../hardening/container.js';
import type { Mount } from '../../policy/plan.js';
import { type ContainerInput, cgroupViewOf, coveredBy, insideUidOf, NO_ENGINE_PROFILE } from './input.js';

/** Seconds after the run's own deadline at which Podman ends the container, whatever became of everybody else. */
const BACKSTOP_SECONDS = 10;

const DEVPTS = {
  type: 'devpts',
  source: 'devpts',
  destination: '/dev/pts',
  options: ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620'],
};

/**
 * Create options for Podman's native API (`/libpod/containers/create`, SpecGenerator). Its Docker-compatible create drops
 * ulimits when rootless, adds large tmpfs and runs the image's ENTRYPOINT.
 */
export function podmanSpec(input: ContainerInput): Record<string, unknown> {
  const { plan, image } = input;
  const { limits, user } = plan;
  const insideUid = insideUidOf(input);
  return {
    name: input.name,
    image: image.id,
    entrypoint: [SUPERVISOR],
    command: [String(input.idleSeconds)],
    user: input.rootless ? '0:0' : `${user.uid}:${user.gid}`,
    groups: input.rootless ? [] : user.groups.map(String),
    work_dir: '/',
    env: {},
    unsetenvall: true,
    httpproxy: false,
    // Podman would mount a passwd of its own over an image's, to name our uid there.
    manage_password: false,
    labels: input.labels,
    hostname: HOSTNAME,
    healthconfig: { Test: ['NONE'] },
    stdin: true,
    terminal: false,
    systemd: 'false',
    sdnotifyMode: 'ignore',
    image_volume_mode: 'ignore',
    ...networkOf(input),
    mounts: [
      ...[...plan.root.mounts, supervisorMount(input.supervisorDir), ...etcMounts(input.etcDir, plan.network)].map(
        mount => toMount(mount),
      ),
      ...plan.mounts.map(mount => toMount(mount, input.relabel)),
      ...tmpfsOf(plan, coveredBy('podman', image.volumes), insideUid).map(toTmpfs),
      // A /dev of ours drops Podman's own terminals.
      ...(insideUid === 0 ? [DEVPTS] : []),
    ],
    mask: closedPaths(cgroupViewOf(input), user.uid).masked,
    ...(closesProc(user.uid) ? { procfs_opts: ['ro'] } : {}),
    read_only_filesystem: true,
    cap_drop: ['ALL'],
    no_new_privileges: true,
    seccomp_profile_path: NO_ENGINE_PROFILE,
    ipcns: { nsmode: 'private' },
    pidns: { nsmode: 'private' },
    utsns: { nsmode: 'private' },
    cgroupns: { nsmode: 'private' },
    init: false,
    resource_limits: {
      memory: { limit: limits.memoryBytes, swap: limits.memoryBytes },
      pids: { limit: limits.pids },
      ...(limits.cpus > 0 ? { cpu: { period: 100_000, quota: Math.round(limits.cpus * 100_000) } } : {}),
    },
    r_limits: input.ulimits,
    timeout: Math.ceil(limits.timeoutMs / 1000) + input.idleSeconds + BACKSTOP_SECONDS,
    log_configuration: { driver: 'none' },
    restart_policy: 'no',
    ...(plan.runtime ? { oci_runtime: plan.runtime } : {}),
  };
}

/** A user-mode stack of its own, the one that was made for this run, or none. */
function networkOf({ network, stack }: ContainerInput) {
  if (stack) return { netns: { nsmode: stack.name }, network_options: { [stack.name]: stack.options } };
  if (network) return { netns: { nsmode: 'bridge' }, Networks: { [network]: {} } };
  return { netns: { nsmode: 'none' } };
}

function toMount(mount: Mount, relabel?: 'z' | 'Z') {
  return {
    type: 'bind',
    source: mount.source,
    destination: mount.target,
    options: ['rbind', mount.mode, 'rprivate', 'nosuid', 'nodev', ...(relabel ? [relabel] : [])],
  };
}

function toTmpfs(tmpfs: Tmpfs) {
  const words = [
    tmpfs.writable ? 'rw' : 'ro',
    tmpfs.exec ? 'exec' : 'noexec',
    tmpfs.devices ? 'dev' : 'nodev',
    'nosuid',
  ];
  return {
    type: 'tmpfs',
    source: 'tmpfs',
    destination: tmpfs.target,
    options: [...words, `mode=${tmpfs.mode.toString(8)}`, `size=${tmpfs.bytes}`],
  };
}
