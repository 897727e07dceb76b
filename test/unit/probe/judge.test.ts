import { describe, expect, it } from 'vitest';
import { judge } from '../../../src/probe/judge.js';
import { type Change, scene } from './scene.js';

const LINGER = scene().host.linger;
const extraMount = (target: string, options: string, type: string) => {
  return `mount 9%209%200:9%20/%20${target}%20${options}%20-%20${type}%20${type}%20rw`;
};

/** Guarantee, what is broken, what the first evidence must say. */
const BROKEN: Array<[id: number, change: Change, evidence: RegExp]> = [
  [1, { facts: ['write /etc 0'] }, /^\/etc took a new file/],
  [1, { facts: ['write /var/tmp 0'] }, /^\/var\/tmp took a new file/],
  [1, { facts: ['write /dev 0'] }, /^\/dev took a new file/],
  [1, { facts: ['write /srv/ro 0'] }, /^\/srv\/ro took a new file/],
  [1, { facts: ['write /srv/rw 30'] }, /^\/srv\/rw should take files and did not \(EROFS\)/],
  [1, { without: ['size /tmp '], facts: ['size /tmp 9999999999 1'] }, /^\/tmp holds 9999999999 bytes, not 8388608/],
  [1, { without: ['size /tmp '] }, /^\/tmp holds 0 bytes/],
  [1, { facts: ['fill /tmp 0'] }, /^\/tmp took more bytes/],
  [1, { facts: ['alter:time /srv/ro 0'] }, /^the time of \/srv\/ro could be changed/],
  [1, { facts: ['open /proc/sysrq-trigger 0'] }, /^\/proc\/sysrq-trigger could be opened for writing/],
  [2, { facts: ['interface eth0'] }, /eth0/],
  [
    2,
    { facts: ['file /etc/resolv.conf 0 nameserver%2010.0.0.1%0a'], without: ['file /etc/resolv.conf '] },
    /resolver: nameserver 10\.0\.0\.1/,
  ],
  [2, { facts: ['connect tcp 127.0.0.1:4711 0'] }, /^tcp socket 127\.0\.0\.1:4711 of the host is reachable/],
  [2, { facts: ['connect abstract probe 0'] }, /^abstract socket probe of the host is reachable/],
  [2, { facts: ['connect abstract probe 11'] }, /^abstract socket probe of the host is reachable/],
  [2, { facts: ['socket 40 0'] }, /^sockets of address family 40/],
  [3, { facts: ['env HTTP_PROXY=http://proxy'] }, /^HTTP_PROXY is in the environment and was not asked for/],
  [3, { without: ['env LANG='] }, /^LANG is missing/],
  [3, { facts: ['process 1 0'] }, /^the environment of process 1 can be read/],
  [3, { facts: ['hostname server'], without: ['hostname '] }, /the host name inside is server, not the sandbox’s own/],
  [3, { host: { traces: ['the arguments of process 7 (conmon)'] } }, /the arguments of process 7 \(conmon\)/],
  [
    4,
    { facts: [extraMount('/var/lib/data', 'ro', 'ext4')] },
    /^\/var\/lib\/data is mounted \(ext4 ext4 \/\) and was not asked for/,
  ],
  [4, { facts: [extraMount('/srv/ro', 'rw', 'ext4')] }, /^\/srv\/ro is mounted writable/],
  [4, { facts: [extraMount('/srv/rw', 'ro', 'ext4')] }, /^\/srv\/rw is mounted read-only/],
  [4, { facts: [extraMount('/proc', 'rw', 'ext4')] }, /^\/proc is a ext4, not a proc/],
  [4, { facts: [extraMount('/', 'rw', 'overlay')] }, /^\/ is mounted writable/],
  [4, { without: ['mount 1%202%200:1%20/srv/rw'], facts: ['x y'] }, /^\/srv\/rw is not mounted/],
  [4, { facts: ['read /proc/kcore 0'] }, /^\/proc\/kcore can be read/],
  [
    4,
    { without: ['file /etc/hosts '], facts: ['file /etc/hosts 0 10.0.0.9%09db.internal%0a'] },
    /tells of 10\.0\.0\.9/,
  ],
  [5, { facts: ['connect path /run/docker.sock 0'] }, /^the socket \/run\/docker.sock of the host is reachable/],
  [5, { facts: ['listener @/tmp/.X11-unix/X0'] }, /X11-unix/],
  [5, { host: { accepted: [{ guarantee: 5, what: '/run/podman' }] } }, /^a request for \/run\/podman was not refused/],
  [6, { without: ['memory '], facts: ['memory 201326592 0'] }, /^under a limit of 64 MiB a process could use 192 MiB$/],
  [6, { without: ['memory '], facts: ['memory 130023424 1009'] }, /could use 124 MiB before it was ended/],
  [6, { without: ['memory '] }, /no attempt/],
  [7, { without: ['forks '], facts: ['forks 114 0'] }, /^under a limit of 64 processes 114 children/],
  [7, { without: ['forks '], facts: ['forks 100 11'] }, /100 children/],
  [
    8,
    { host: { answer: { content: 'rw-nonce', uid: 100_999, gid: 100_999 } } },
    /belongs to 100999:100999 on the host, not to 1000:1000/,
  ],
  [
    8,
    { without: ['bits chmod:setuid'], facts: ['bits chmod:setuid 0 2541'] },
    /^chmod:setuid made a file with mode 4755/,
  ],
  [8, { host: { bits: ['/srv/rw/x'] } }, /^\/srv\/rw\/x has the setuid/],
  [
    9,
    { without: ['nonce ro '], facts: ['nonce ro 2 '] },
    /^what the host wrote into the ro folder is not there inside \(ENOENT\)/,
  ],
  [
    9,
    { host: { readOnly: { before: ['from-host 666 x'], after: ['from-host 666 '] } } },
    /^the ro folder was changed: it holds from-host 666/,
  ],
  [1, { facts: ['spoil truncate 0'] }, /^a file of the ro folder could be changed: truncate/],
  [
    9,
    { host: { accepted: [{ guarantee: 9, what: 'reading /proc' }] } },
    /^a request for reading \/proc was not refused/,
  ],
  [10, { facts: ['call unshare:user 0'] }, /^unshare:user was not refused \(worked\)/],
  [10, { facts: ['call ptrace:seize 3'] }, /^ptrace:seize was not refused \(ESRCH\)/],
  [10, { facts: ['call abi:i386 0'] }, /^abi:i386 was not refused/],
  [10, { facts: ['thread start 1'] }, /^no thread can be started \(EPERM\)/],
  [10, { facts: ['call clone3:user 1'] }, /^clone3 answers EPERM, not ENOSYS/],
  [10, { facts: ['value capabilities 1'] }, /^capabilities left: 1/],
  [10, { facts: ['value no-new-privileges 0'] }, /^no-new-privileges is not set/],
  [10, { facts: ['value seccomp 0'] }, /^no seccomp filter/],
  [10, { facts: ['value stdin 1'] }, /^stdin is not at its end/],
  [10, { facts: ['value parent 0'] }, /parent is process 0/],
  [10, { facts: ['descriptor 5 /run/secret'] }, /^descriptor 5 is open: \/run\/secret/],
  [10, { without: ['rlimit 7 '], facts: ['rlimit 7 1024 8192'] }, /^resource limit 7 is 1024\/8192/],
  [10, { without: ['rlimit 7 '] }, /^resource limit 7 is undefined/],
  [10, { without: ['rlimit 4 '], facts: ['rlimit 4 -1 -1'] }, /^resource limit 4 is 18446744073709551615/],
  [10, { facts: ['read /proc/1/environ 0'] }, /^\/proc\/1\/environ can be read/],
  [10, { facts: ['process 12 13'] }, /^process 12 is visible/],
  [
    11,
    { host: { linger: { ...LINGER, ending: { exitCode: 137 } } } },
    /was not ended by the supervisor’s deadline \(no trailer\)/,
  ],
  [11, { host: { linger: { ...LINGER, elapsedMs: 9000 } } }, /^its end was told only after 9000 ms/],
  [11, { host: { linger: { ...LINGER, beatsAfter: 3 } } }, /^its stray grandchild lived on/],
  [11, { host: { linger: { ...LINGER, beats: 0 } } }, /^its stray grandchild was never seen/],
  [12, { facts: ['grow /srv/rw 0'] }, /was not refused \(worked\)/],
  [13, { host: { accepted: [{ guarantee: 13, what: '65 folders' }] } }, /^a request with 65 folders was not refused/],
];

describe('judge', () => {
  it('finds every guarantee enforced where the probe met what it should', () => {
    const guarantees = judge(scene(), false);
    expect(guarantees.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]);
    expect(guarantees.filter(({ status }) => status !== 'enforced')).toEqual([]);
    for (const { evidence } of guarantees) expect(evidence.length).toBeGreaterThan(0);
  });

  it.each(BROKEN)('fails guarantee %i for %j', (id, change, evidence) => {
    const broken = judge(scene(change), false).filter(({ status }) => status !== 'enforced');
    const found = broken.find(guarantee => guarantee.id === id);
    expect(found?.status).toBe('failed');
    expect(found?.evidence[0]).toMatch(evidence);
  });

  it('takes a lower limit of the service’s own', () => {
    const found = judge(scene({ without: ['rlimit 7 '], facts: ['rlimit 7 512 2048'] }), false);
    expect(found.filter(({ status }) => status !== 'enforced')).toEqual([]);
  });

  it('degrades the soft guarantees where the operator allows it, and says what helps', () => {
    const change = { without: ['memory ', 'forks '], facts: ['memory 201326592 0', 'forks 114 0', 'grow /srv/rw 0'] };
    const degraded = judge(scene(change), true).filter(({ status }) => status === 'degraded');
    expect(degraded.map(({ id }) => id)).toEqual([6, 7, 12]);
    expect(degraded[0]?.advice).toMatch(/cgroup v2.*delegated/);
  });

  it('never degrades a guarantee that is not soft', () => {
    expect(judge(scene({ facts: ['write /etc 0'] }), true)[0]?.status).toBe('failed');
  });

  it('degrades an allowed network on which the host answers, but not one that shares its loopback', () => {
    const reached = scene({ network: 'allow', facts: ['connect tcp 10.1.2.3:80 0'] });
    expect(judge(reached, false)[1]).toMatchObject({
      status: 'degraded',
      evidence: [expect.stringMatching(/10\.1\.2\.3:80/), expect.anything(), expect.anything(), expect.anything()],
    });
    for (const [where, loopbackMet, status] of [
      ['127.0.0.1:4711', false, 'failed'],
      ['10.0.2.2:4711', true, 'failed'],
      ['10.0.2.2:4711', false, 'enforced'],
      ['192.168.0.1:4711', true, 'failed'],
      ['192.168.0.7:80', true, 'degraded'],
    ] as const) {
      const facts = ['connect tcp 127.0.0.1:4711 111', `connect tcp ${where} 0`];
      const shared = scene({ network: 'allow', facts, host: { loopbackMet } });
      expect(judge(shared, false)[1]?.status).toBe(status);
    }
  });

  const there = { address: '10.0.9.2:80', errno: 0, stayed: true };
  const UNTRIED = /^whether runs reach each other could not be tried at 10\.0\.9\.2:80: /;
  it.each([
    [
      'dropped',
      'neighbour 110 110',
      there,
      'enforced',
      /^another run is not reachable at 10\.0\.9\.2:80 \(ETIMEDOUT\)$/,
    ],
    [
      'rejected',
      'neighbour 113 113',
      there,
      'enforced',
      /^another run is not reachable at 10\.0\.9\.2:80 \(EHOSTUNREACH\)$/,
    ],
    ['met', 'neighbour 0 0', there, 'degraded', /^another run answers at 10\.0\.9\.2:80$/],
    ['met by a full queue', 'neighbour 11 11', there, 'degraded', /^another run answers at 10\.0\.9\.2:80$/],
    ['met once', 'neighbour 0 110', there, 'degraded', /^another run answers at 10\.0\.9\.2:80, if only once/],
    ['met by nobody', 'neighbour 111 111', { ...there, errno: 111 }, 'degraded', UNTRIED],
    ['gone too early', 'neighbour 110 110', { ...there, stayed: false }, 'degraded', UNTRIED],
    ['without a way out of the own network', 'neighbour 101 101', there, 'degraded', UNTRIED],
    ['not tried', 'interface eth0', there, 'degraded', UNTRIED],
  ] as const)('another run with a network: %s', (_, fact, neighbour, status, evidence) => {
    const seen = scene({ network: 'allow', facts: ['address 10.0.8.2:0 0', fact], host: { neighbour } });
    const [, network] = judge(seen, false);
    expect(network?.status).toBe(status);
    expect(network?.evidence.some(line => evidence.test(line))).toBe(true);
  });

  it('tells what is known of an engine’s networks, though nothing was met', () => {
    const host = { neighbour: there, networkFlaw: 'they meet now and then' };
    const [, network] = judge(scene({ network: 'allow', facts: ['neighbour 110 110'], host }), false);
    expect(network).toMatchObject({ status: 'degraded', evidence: expect.arrayContaining([host.networkFlaw]) });
  });

  it('does not take its own address for that of another run', () => {
    const facts = ['address 10.0.9.2:0 0', 'neighbour 111 111'];
    const [, network] = judge(scene({ network: 'allow', facts, host: { neighbour: there } }), false);
    expect(network?.status).toBe('enforced');
    expect(network?.evidence[0]).toMatch(/^each run has the address 10\.0\.9\.2 in a network of its own/);
  });

  it('lets an allowed network have interfaces and a resolver', () => {
    const allowed = scene({ network: 'allow', facts: ['interface eth0', 'file /etc/hosts 0 10.0.0.2%09self%0a'] });
    expect(judge(allowed, false).filter(({ status }) => status !== 'enforced')).toEqual([]);
  });

  it('knows the devices that kernels put into every network namespace', () => {
    expect(judge(scene({ facts: ['interface tunl0', 'interface sit0'] }), false)[1]?.status).toBe('enforced');
  });

  it('tells swap from a limit that is ignored', () => {
    const advice = (fact: string) => judge(scene({ without: ['memory '], facts: [fact] }), false)[5]?.advice;
    expect(advice('memory 130023424 1009')).toMatch(/swap/);
    expect(advice('memory 201326592 0')).toMatch(/cgroup v2/);
  });
});
