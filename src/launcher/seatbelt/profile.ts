import { posix } from 'node:path';
import type { Plan } from '../../policy/plan.js';

/** Folders of macOS that programs need to start: libraries, frameworks, the shared cache, time zones, certificates. */
const SYSTEM = [
  '/System/Library',
  '/System/Cryptexes',
  '/Library/Apple',
  '/Library/Developer/CommandLineTools',
  '/usr/bin',
  '/usr/lib',
  '/usr/libexec',
  '/usr/share',
  '/bin',
  '/sbin',
  '/usr/sbin',
  '/private/etc/ssl',
  '/private/etc/localtime',
  '/private/etc/protocols',
  '/private/etc/services',
  '/private/var/db/timezone',
  '/private/var/db/dyld',
] as const;

/** Links that lead there, and the devices that are harmless. */
const FILES = ['/', '/etc', '/tmp', '/var', '/dev/null', '/dev/zero', '/dev/random', '/dev/urandom'] as const;

/** What the C library asks the system for: users by name, time zones, the log. No launch services, pasteboard or keychain. */
const SERVICES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.notification_center',
  'com.apple.system.logger',
] as const;
/** Names and certificates for connections. */
const NETWORK_SERVICES = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.trustd',
  'com.apple.dnssd.service',
] as const;

/** Facts about the machine; kern.proc and kern.procargs2, which tell of other processes, are not among them. */
const SYSCTLS = [
  ...[
    'kern.argmax',
    'kern.maxfilesperproc',
    'kern.osproductversion',
    'kern.osrelease',
    'kern.ostype',
    'kern.osversion',
  ],
  ...['kern.usrstack64', 'kern.version', 'vm.loadavg'],
] as const;

/**
 * The profile of a sandbox on macOS, in the language of sandbox-exec. Everything is denied that is not named.
 * @param home folder that is private to the run: HOME, and where temporary files go
 */
export function seatbeltProfile(plan: Plan, home: string): string {
  const readable = [
    ...SYSTEM,
    ...plan.root.mounts.map(mount => mount.source),
    ...plan.mounts.map(mount => mount.source),
  ];
  const writable = [home, ...plan.mounts.filter(mount => mount.mode === 'rw').map(mount => mount.source)];
  const above = [...readable, ...writable].flatMap(ancestors);
  return [
    '(version 1)',
    '(deny default)',
    '(allow process-fork)',
    `(allow process-exec ${subpaths([...readable, ...writable])})`,
    // Processes of other runs and of the host are neither seen nor signalled.
    '(allow process-info* (target same-sandbox))',
    '(allow signal (target same-sandbox))',
    `(allow sysctl-read (sysctl-name-prefix "hw.") (sysctl-name-prefix "machdep.cpu.") ${list('sysctl-name', SYSCTLS)})`,
    `(allow mach-lookup ${list('global-name', SERVICES)})`,
    // Process pools need semaphores.
    '(allow ipc-posix-sem)',
    `(allow file-read-metadata ${list('literal', above)})`,
    `(allow file-read* ${list('literal', FILES)} ${subpaths([...readable, home])})`,
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))',
    ...writing(plan, home),
    // A set-id bit would outlive the run.
    `(deny file-write-setugid)`,
    ...(plan.network === 'allow' ? network() : []),
    '',
  ].join('\n');
}

/** The last rule that fits decides, so parents come first. No folder that has a rule may be moved away from under it. */
function writing({ mounts }: Plan, home: string): string[] {
  const parentsFirst = mounts.toSorted((a, b) => a.source.length - b.source.length);
  return [
    `(allow file-write* ${subpaths([home])})`,
    ...parentsFirst.map(
      ({ mode, source }) => `(${mode === 'rw' ? 'allow' : 'deny'} file-write* ${subpaths([source])})`,
    ),
    `(deny file-write-unlink ${list('literal', [home, ...mounts.map(({ source }) => source)])})`,
  ];
}

/** Addresses only: a socket with a path is a way to an engine or an agent. */
function network(): string[] {
  return [
    '(allow system-socket)',
    '(allow network-outbound (remote ip))',
    '(deny network-outbound (remote ip "localhost:*"))',
    '(allow network-inbound (local ip))',
    '(allow network-bind (local ip))',
    `(allow mach-lookup ${list('global-name', NETWORK_SERVICES)})`,
    '(allow file-read* (literal "/private/etc/hosts") (literal "/private/etc/resolv.conf") (literal "/private/var/run/resolv.conf"))',
  ];
}

function ancestors(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}

function subpaths(paths: readonly string[]): string {
  return list('subpath', paths);
}

function list(filter: string, values: readonly string[]): string {
  return [...new Set(values)].map(value => `(${filter} ${quote(value)})`).join(' ');
}

/** A string of the profile language. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}
