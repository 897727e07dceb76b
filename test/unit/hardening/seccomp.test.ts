import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Architecture, AUDIT_ARCH, compile } from '../../../src/hardening/seccomp-compile.js';
import { parseNumbers, seccompHeader } from '../../../src/hardening/seccomp-header.js';
import { profile } from '../../../src/hardening/seccomp-profile.js';
import { type Action, ERRNO } from '../../../src/hardening/seccomp-rule.js';
import { longestPass, runFilter } from './bpf.js';

const init = (path: string): string => readFileSync(new URL(`../../../init/${path}`, import.meta.url), 'utf8');
const architectures: Architecture[] = ['x64', 'arm64'];
const named = [
  ...profile.allowed,
  ...profile.rules.flatMap(rule => rule.calls),
  ...profile.refused.flatMap(refusal => refusal.calls),
];
const value = (action: Action): number => (action === 'allow' ? 0x7fff0000 : 0x50000 | ERRNO[action]);

describe.each(architectures)('the filter for %s', architecture => {
  const table = init(`syscalls/${architecture}.txt`);
  const numbers = parseNumbers(table);
  const program = compile(profile, architecture, numbers);
  const arch = AUDIT_ARCH[architecture];
  const verdict = (name: string, ...args: number[]): number =>
    runFilter(program, { number: numbers.get(name)!, arch, args }).value;
  const answers = (action: Action, name: string, ...args: number[]): void => {
    // Calls that only the older architecture has.
    if (numbers.has(name)) expect(verdict(name, ...args), `${name}(${args.join(', ')})`).toBe(value(action));
  };

  test('names every system call of the headers once', () => {
    expect([...numbers.keys()].filter(name => named.filter(other => other === name).length !== 1)).toEqual([]);
  });

  test('is what the supervisor is built with', () => {
    expect(init(`src/seccomp_${architecture}.h`)).toBe(seccompHeader(architecture, table));
  });

  test('answers each call as the profile says', () => {
    for (const name of profile.allowed) answers('allow', name);
    for (const { calls, answer } of profile.refused) for (const name of calls) answers(answer, name);
  });

  test('kills what calls by another architecture', () => {
    for (const other of [0x4000_0003, 0x4000_0028, AUDIT_ARCH[architecture === 'x64' ? 'arm64' : 'x64'], 0])
      expect(runFilter(program, { number: numbers.get('read')!, arch: other }).value).toBe(0x8000_0000);
  });

  test('knows no call beyond the table, x32 included', () => {
    const taken = new Set(numbers.values());
    fc.assert(
      fc.property(fc.nat(0xffff_ffff), number => {
        fc.pre(!taken.has(number));
        expect(runFilter(program, { number, arch }).value).toBe(value('ENOSYS'));
      }),
    );
    expect(runFilter(program, { number: 0x4000_0000 + numbers.get('getpid')!, arch }).value).toBe(value('ENOSYS'));
  });

  test('refuses setuid and setgid bits wherever a mode is given', () => {
    for (const bits of [0o4000, 0o2000, 0o6000]) {
      const mode = bits | 0o755;
      for (const name of ['chmod', 'fchmod', 'creat', 'mknod']) answers('EPERM', name, 0, mode);
      for (const name of ['fchmodat', 'mknodat']) answers('EPERM', name, 0, 0, mode);
      answers('EPERM', 'open', 0, 0o101, mode);
      answers('EPERM', 'openat', 0, 0, 0o101, mode);
      answers('EPERM', 'openat', 0, 0, 0o20200002, mode);
      answers('allow', 'open', 0, 0o1, mode);
      answers('allow', 'openat', 0, 0, 0o1, mode);
    }
    for (const name of ['chmod', 'fchmod', 'creat', 'mknod']) answers('allow', name, 0o6000, 0o1777);
    for (const name of ['fchmodat', 'mknodat']) answers('allow', name, 0, 0o6000, 0o1777);
    answers('allow', 'open', 0, 0o101, 0o1777);
    answers('allow', 'openat', 0, 0, 0o101, 0o1777);
  });

  test('lets threads start, and no namespace', () => {
    answers('allow', 'clone', 0x3d_0f00); // what pthread_create asks for
    answers('allow', 'clone', 17); // fork
    for (const bit of [17, 25, 26, 27, 28, 29, 30]) answers('EPERM', 'clone', 2 ** bit + 17);
  });

  test('gives sockets of four families', () => {
    for (const family of [1, 2, 10]) for (const protocol of [0, 6, 17]) answers('allow', 'socket', family, 1, protocol);
    answers('allow', 'socket', 16, 3, 0);
    for (const protocol of [4, 9, 12, 15, 21]) answers('EAFNOSUPPORT', 'socket', 16, 3, protocol);
    for (let family = 0; family < 50; family++)
      if (![1, 2, 10, 16].includes(family)) answers('EAFNOSUPPORT', 'socket', family, 1, 0);
    answers('allow', 'socketpair', 1, 1, 0);
    for (const family of [2, 30, 38, 40]) answers('EAFNOSUPPORT', 'socketpair', family, 1, 0);
  });

  test('judges by the half of an argument that the kernel reads', () => {
    answers('allow', 'socket', 2 ** 32 + 1, 1, 0);
    answers('EAFNOSUPPORT', 'socket', 2 ** 32 + 40, 1, 0);
    answers('EPERM', 'ioctl', 0, 2 ** 32 + 0x5412);
    answers('EPERM', 'clone', 2 ** 32 + 2 ** 28);
  });

  test('refuses leases, typed keys and odd personalities', () => {
    for (const command of [10, 1024]) answers('EPERM', 'fcntl', 0, command);
    for (const command of [0, 1, 2, 3, 4, 1025, 1031]) answers('allow', 'fcntl', 0, command);
    for (const command of [0x5412, 0x541c]) answers('EPERM', 'ioctl', 0, command);
    for (const command of [0x5401, 0x5413, 0x541b]) answers('allow', 'ioctl', 0, command);
    for (const persona of [0, 8, 0x20000, 0x20008, 0xffffffff]) answers('allow', 'personality', persona);
    for (const persona of [1, 0x40000, 0x100000, 0xfffffffe]) answers('EPERM', 'personality', persona);
  });

  test('keeps PID 1 out of reach', () => {
    answers('allow', 'prlimit64', 0);
    for (const pid of [1, 2, 77]) answers('EPERM', 'prlimit64', pid);
    const signals = ['kill', 'tkill', 'tgkill', 'rt_sigqueueinfo', 'rt_tgsigqueueinfo', 'pidfd_open'];
    for (const name of [...signals, 'sched_setaffinity', 'sched_setattr', 'sched_setparam', 'sched_setscheduler']) {
      answers('EPERM', name, 1);
      for (const pid of [0, 2, -1, -2]) answers('allow', name, pid);
    }
    for (const [name, user] of [
      ['setpriority', 2],
      ['ioprio_set', 3],
    ] as const) {
      for (const kind of [0, 1, 2, 3]) answers('EPERM', name, kind, 1);
      // PID 1 is a process of the same user.
      for (const who of [0, 1000, 12345]) answers('EPERM', name, user, who);
      for (const kind of [0, 1]) answers('allow', name, kind, 0);
    }
  });

  test('takes few steps, as docs/supervisor.md counts them', () => {
    const steps = profile.allowed
      .filter(name => numbers.has(name))
      .map(name => {
        return runFilter(program, { number: numbers.get(name)!, arch }).steps;
      });
    expect(Math.max(...steps)).toBe(11);
    expect(longestPass(program)).toBe(21);
    expect(program.length).toBeLessThan(400);
  });
});

test('the profile names no call that does not exist', () => {
  const known = new Set(architectures.flatMap(name => [...parseNumbers(init(`syscalls/${name}.txt`)).keys()]));
  expect(named.filter(name => !known.has(name))).toEqual([]);
});
