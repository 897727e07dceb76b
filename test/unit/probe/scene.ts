import type { Plan } from '../../../src/policy/plan.js';
import { expectMounts, ociMounts } from '../../../src/probe/expect.js';
import { parseFacts } from '../../../src/probe/facts.js';
import type { HostSide, Observation } from '../../../src/probe/observation.js';
import { trailerOf } from '../../../src/supervisor/trailer.js';

const MIB = 1024 * 1024;

export const plan: Plan = {
  mounts: [
    { source: '/srv/ro', target: '/srv/ro', mode: 'ro' },
    { source: '/srv/rw', target: '/srv/rw', mode: 'rw' },
  ],
  network: 'deny',
  user: { uid: 1000, gid: 1000, groups: [] },
  limits: {
    timeoutMs: 5000,
    memoryBytes: 64 * MIB,
    pids: 64,
    tmpBytes: 8 * MIB,
    shmBytes: 4 * MIB,
    outputBytes: MIB,
    fileBytes: 32 * MIB,
    diskFloorBytes: MIB,
    cpus: 0,
  },
  root: { kind: 'image', name: 'test', mounts: [], path: ['/usr/bin'], env: {} },
};

const mount = (target: string, options: string, type: string, root = '/') => {
  return `mount 1%202%200:1%20${root}%20${target}%20${options}%20-%20${type}%20${type}%20rw`;
};

/** What the probe says in a sandbox that keeps every guarantee, as Docker on cgroup v1 showed it. */
const FACTS = [
  'env PATH=/usr/bin',
  'env LANG=C.UTF-8',
  'descriptor 0 pipe:[1]',
  'descriptor 3 /proc/7/fd',
  'value stdin 0',
  'value parent 1',
  'value group 1000',
  'value capabilities 0',
  'value bounding 0',
  'value ambient 0',
  'value no-new-privileges 1',
  'value seccomp 2',
  'value terminal -6',
  'rlimit 4 0 0',
  'rlimit 7 1024 4096',
  'rlimit 9 -1 -1',
  'hostname sandbox',
  'process 1 13',
  'interpreter python3',
  'call unshare:user 1',
  'call clone3:user 38',
  'call abi:i386 1031',
  'call setuid 22',
  'thread start 0',
  'read /proc/1/environ 13',
  'read /proc/kcore 61',
  'file /etc/hosts 0 127.0.0.1%09localhost%0a::1%09localhost%0a',
  'file /etc/resolv.conf 0 #%20none%0a',
  'file /sys/fs/cgroup/memory/memory.limit_in_bytes 0 67108864%0a',
  mount('/', 'ro', 'overlay'),
  mount('/proc', 'rw', 'proc'),
  mount('/proc/keys', 'rw', 'tmpfs', '/null'),
  mount('/dev', 'rw', 'tmpfs'),
  mount('/sys', 'ro', 'sysfs'),
  mount('/sys/fs/cgroup/memory', 'ro', 'cgroup'),
  mount('/.sandbox', 'ro', 'ext4', '/init/bin/x64'),
  mount('/tmp', 'rw', 'tmpfs'),
  mount('/dev/shm', 'rw', 'tmpfs'),
  mount('/srv/ro', 'ro', 'ext4', '/srv/ro'),
  mount('/srv/rw', 'rw', 'ext4', '/srv/rw'),
  'write / 30',
  'write /etc 30',
  'write /dev 13',
  'write /tmp 0',
  'write /dev/shm 0',
  'write /srv/ro 30',
  'write /srv/rw 0',
  'alter:time /srv/ro 30',
  'alter:time /proc 0',
  'size /tmp 8388608 100',
  'size /dev/shm 4194304 100',
  'open /proc/sysrq-trigger 13',
  'socket 1 0',
  'socket 40 97',
  'interface lo',
  'nonce ro 0 ro-nonce',
  'spoil truncate 30',
  'answer ro 30',
  'nonce rw 0 rw-nonce',
  'answer rw 0',
  'bits chmod:setuid 1 448',
  'connect tcp 127.0.0.1:4711 111',
  'connect abstract probe 111',
  'connect path /run/docker.sock 2',
  'fill /tmp 28',
  'grow /srv/rw 27',
  'forks 62 11',
  'memory 66060288 1009',
  'end',
];

const HOST: HostSide = {
  nonces: { ro: 'ro-nonce', rw: 'rw-nonce' },
  answer: { content: 'rw-nonce', uid: 1000, gid: 1000 },
  readOnly: { before: ['from-host 666 x'], after: ['from-host 666 x'] },
  bits: [],
  linger: {
    ending: {
      trailer: trailerOf('deadline', { signal: 9, wallMicros: 400_000 }),
    },
    deadlineMs: 400,
    elapsedMs: 405,
    beats: 50,
    beatsAfter: 0,
  },
  traces: [],
  accepted: [],
};

/** How a scene differs from one in which all is well. */
export interface Change {
  /** Facts that take the place of those that start with the same words (all but the last), or come in addition. */
  facts?: string[];
  /** Facts that are left out: all that start so. */
  without?: string[];
  host?: Partial<HostSide>;
  network?: Plan['network'];
}

/** Everything that is judged, in a sandbox that keeps every guarantee but for the change. */
export function scene({ facts = [], without = [], host, network = 'deny' }: Change = {}): Observation {
  const changed = { ...plan, network };
  const dropped = [...without, ...facts.map(fact => fact.slice(0, fact.lastIndexOf(' ') + 1))];
  const kept = FACTS.filter(fact => !dropped.some(start => start.includes(' ') && fact.startsWith(start)));
  return {
    facts: parseFacts([...kept, ...facts].join('\n')),
    plan: changed,
    program: {
      env: [
        ['PATH', '/usr/bin'],
        ['LANG', 'C.UTF-8'],
      ],
      rlimits: [
        { resource: 4, soft: 0n, hard: 0n },
        { resource: 7, soft: 1024n, hard: 4096n },
      ],
    },
    mounts: expectMounts(changed, ociMounts),
    host: { ...HOST, ...host },
  };
}
