/** An option that is not taken out, why, and the tests that fail where it is missing: file below test/, name. */
export interface Rest {
  option: string;
  why: string;
  tests?: Array<[file: string, name: string]>;
}

const ENGINE_DATA = 'unit/engine/spec/spec.test.ts';
const BWRAP_DATA = 'unit/launcher/bwrap/arguments.test.ts';
const OCI_DATA = 'unit/launcher/oci/spec.test.ts';
const WHOLE: [string, string] = [ENGINE_DATA, 'the whole of a container, as data'];
const BORN: [string, string] = [
  'supervisor/confinement.test.ts',
  'has no capability, no new privileges, one filter, three descriptors and its own session',
];

/** What no attack can notice alone. */
export const rest: Rest[] = [
  {
    option: 'process namespace',
    why: 'the supervisor refuses to start as anything but PID 1 of a namespace (exit code 123), so that without it nothing runs',
    tests: [
      [
        'supervisor/end.test.ts',
        'outside a process namespace the supervisor refuses, since it would end every process of the host',
      ],
    ],
  },
  {
    option: 'a fresh session keyring',
    why: 'the filter refuses every keyring call and runc joins a keyring of its own: three layers',
  },
  {
    option: 'every process killed at the end',
    why: 'the end of PID 1 ends its namespace as well; here they are dead before the trailer',
    tests: [['supervisor/end.test.ts', 'comes with the program, and takes its survivors along']],
  },
  {
    option: 'a session of the program’s own, oom_score_adj, no signal blocked',
    why: 'they do the program a service, and the kernel that looks for what to kill; PID 1 has a session of its own as well',
    tests: [BORN],
  },
  {
    option: 'nothing that is mounted in a read-only folder comes along (bind without recursion, without an engine)',
    why: 'crun makes what comes along read-only as well',
    tests: [[OCI_DATA, 'a read-only folder brings nothing of what is mounted in it']],
  },
  {
    option: 'signals blocked in PID 1',
    why: 'the filter refuses to signal it, and the kernel spares the PID 1 of a namespace',
    tests: [
      ['supervisor/end.test.ts', 'is asked for by SIGTERM, which every process gets'],
      ['supervisor/confinement.test.ts', 'can neither stop, kill, slow down, trace nor read PID 1'],
    ],
  },
  {
    option: 'swap alone (MemorySwap, swap, memory.memsw, memory.swap.max)',
    why: 'this machine has none; the virtual machine has',
    tests: [
      [ENGINE_DATA, 'swap is part of the memory limit'],
      WHOLE,
      ['unit/launcher/limits/settings.test.ts', 'version 1: memory with swap, processes, processor'],
      ['unit/launcher/limits/settings.test.ts', 'version 2: no swap at all'],
      ['vm/guarantees.test.ts', 'files in %s count as memory'],
    ],
  },
  {
    option: 'the share of the processor (NanoCpus; cpu.cfs_quota_us, cpu.max)',
    why: 'no guarantee: an operator’s own choice',
    tests: [
      [ENGINE_DATA, 'a runtime and CPUs only where they are asked for'],
      ['unit/launcher/limits/settings.test.ts', 'version 1: memory with swap, processes, processor'],
    ],
  },
  {
    option: 'nothing mounted later on the host comes in (rprivate)',
    why: 'no attack mounts while a run is on',
    tests: [WHOLE, [OCI_DATA, 'a read-only folder brings nothing of what is mounted in it']],
  },
  {
    option: 'nodev, nosuid and noexec of covers and of /tmp',
    why: 'nothing makes a device node or a setuid file there, and covers take none: without capabilities and with the filter',
    tests: [WHOLE, [OCI_DATA, 'what takes writes is of bounded size, the rest takes none']],
  },
  {
    option: 'supplementary groups (GroupAdd, groups, additionalGids)',
    why: 'what a folder needs is given, never a privileged group',
    tests: [
      [ENGINE_DATA, 'rootless: uid 0 inside is the caller, and no groups come along'],
      [OCI_DATA, 'one user of the host exists inside, and the groups that root may give'],
      ['unit/policy/user.test.ts', 'a rootless engine maps no groups, so none can open a folder'],
      ['unit/policy/user.test.ts', 'supplementary groups: %s'],
      ['unit/policy/hazards.test.ts', 'privileged groups are found by name'],
    ],
  },
  {
    option: 'nproc (Ulimits, r_limits, rlimits)',
    why: 'it stops nothing, being 32,768 for all processes of a user: it keeps engines from asking for more than a small host has',
  },
  {
    option: 'Podman’s own time limit (timeout)',
    why: 'the supervisor’s deadline comes ten seconds and more before it',
    tests: [[ENGINE_DATA, 'ends by itself after the run’s time, whatever became of everybody else']],
  },
  {
    option:
      'Podman’s systemd mode, sdnotify and init off, no health check, no restart, variables of containers.conf and of proxies',
    why: 'the supervisor is the one program of the container, and overwrites its environment',
    tests: [WHOLE, ['engine/containers-conf.test.ts', 'variables that it adds reach no program']],
  },
  {
    option: 'images’ VOLUME (image_volume_mode), HEALTHCHECK, ENTRYPOINT, ENV',
    why: 'the attacks need images of their own',
    tests: [
      [
        'engine/images.test.ts',
        'an image with an entrypoint, variables, a volume, a user and our labels gets none of them',
      ],
      [ENGINE_DATA, 'the image’s volumes are covered, a policy folder at that place is not'],
    ],
  },
  {
    option: 'bubblewrap’s --new-session, --die-with-parent, --as-pid-1, --disable-userns',
    why: 'no terminal is there, the end of stdin comes first, the supervisor refuses, and the filter does',
    tests: [[BWRAP_DATA, 'every namespace, no capability, the supervisor as PID 1, and nothing left writable']],
  },
  {
    option: 'scopes of systemd',
    why: 'there is no systemd here; the virtual machine has it',
    tests: [
      [
        'unit/launcher/limits/scope.test.ts',
        'puts systemd-run before the launcher, and shows the sandbox its own scope',
      ],
      ['vm/guarantees.test.ts', 'all guarantees are enforced, none degraded'],
    ],
  },
  { option: 'SELinux labels', why: 'no host with SELinux was at hand' },
  {
    option: 'bounds of a request (guarantee 13), other refusals of the policy',
    why: 'pure functions, tested one by one in test/unit/policy',
  },
];
