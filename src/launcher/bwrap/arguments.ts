import { posix } from 'node:path';
import { closesProc, HOSTNAME, MASKED_PATHS, SUPERVISOR, SUPERVISOR_DIR } from '../../hardening/container.js';
import { privateTmpfs } from '../../hardening/tmpfs.js';
import type { Entry } from '../../policy/baseimage.js';
import type { Mount, Plan, User } from '../../policy/plan.js';

/** Settings that the owner of a pid or ipc namespace may write: ns_last_pid, and the limits of message queues. */
const OWNED_SYSCTLS = ['/proc/sys/kernel', '/proc/sys/fs/mqueue'];

/**
 * What --dev makes, but for terminals: for these it would put the sandbox into a second user namespace, and whoever
 * gives it its network could not enter the first, which owns it.
 */
const DEVICES = [
  ...['--tmpfs', '/dev'],
  ...['null', 'zero', 'full', 'random', 'urandom', 'tty'].flatMap(name => [
    '--dev-bind',
    `/dev/${name}`,
    `/dev/${name}`,
  ]),
  ...['stdin', 'stdout', 'stderr'].flatMap((name, fd) => ['--symlink', `/proc/self/fd/${fd}`, `/dev/${name}`]),
  ...['--symlink', '/proc/self/fd', '/dev/fd', '--dir', '/dev/shm'],
];

/** All that a command line of bubblewrap depends on. */
export interface BwrapInput {
  plan: Plan;
  /** Folders, links and files of the almost empty root. */
  entries: readonly Entry[];
  /** Folder of the host with the entries' files, by their paths. */
  filesDir: string;
  supervisorDir: string;
  /** The sandbox's own part of the cgroup tree. */
  cgroups: readonly Mount[];
  /** Paths of {@link MASKED_PATHS} that are folders on this host, or are not there. */
  masks: ReadonlyMap<string, 'folder' | 'missing'>;
  /** bubblewrap 0.8 and later can take user namespaces away; older ones leave that to the seccomp filter. */
  disableUserns: boolean;
  /** Whom root lets the supervisor become; missing where it is whoever starts bubblewrap. */
  become?: User;
  /** How long the supervisor waits for its frame. */
  idleSeconds: number;
}

/** Something that is put into the root, and where. */
interface Placed {
  target: string;
  words: string[];
}

/** The options of bubblewrap for a plan. Values of the request stand in the frame alone; its folders must stand here. */
export function bwrapArguments(input: BwrapInput): string[] {
  return [
    ...isolation(input),
    ...['--new-session', '--die-with-parent', '--as-pid-1', '--clearenv', '--hostname', HOSTNAME],
    ...input.entries.flatMap(skeleton),
    ...withParents(placed(input)),
    // Whatever was made on the way belongs to the code's own user.
    ...['--remount-ro', '/dev', '--remount-ro', '/', '--chdir', '/', '--'],
    ...(input.become ? become(input.become) : []),
    ...[SUPERVISOR, String(input.idleSeconds)],
  ];
}

/**
 * A user namespace maps one user only, the one that makes it. So root does without where code runs as another user: it
 * mounts what that user could not reach, and becomes that user last.
 */
function isolation({ plan, become, disableUserns }: BwrapInput): string[] {
  if (!become) {
    const nested = disableUserns && plan.network === 'deny' ? ['--disable-userns'] : [];
    return ['--unshare-all', '--unshare-user', ...nested, '--cap-drop', 'ALL'];
  }
  const namespaces = ['ipc', 'pid', 'net', 'uts', 'cgroup-try'].map(name => `--unshare-${name}`);
  return [
    ...namespaces,
    '--cap-drop',
    'ALL',
    ...['SETUID', 'SETGID', 'SETPCAP'].flatMap(name => ['--cap-add', `CAP_${name}`]),
  ];
}

/** The change of user takes back the order to die with the parent, so it is given again. */
function become({ uid, gid, groups }: User): string[] {
  const others = groups.length > 0 ? ['--groups', groups.join(',')] : ['--clear-groups'];
  const nothing = ['--inh-caps=-all', '--ambient-caps=-all', '--bounding-set=-all'];
  return [
    'setpriv',
    '--reuid',
    String(uid),
    '--regid',
    String(gid),
    ...others,
    ...nothing,
    '--pdeathsig',
    'KILL',
    '--',
  ];
}

function skeleton(entry: Entry): string[] {
  if (entry.kind === 'link') return ['--symlink', entry.to, `/${entry.path}`];
  return entry.kind === 'folder' ? ['--dir', `/${entry.path}`] : [];
}

/** In the order in which one may lie on the other: nearest to the root first. */
function placed(input: BwrapInput): Placed[] {
  const { plan, entries, filesDir } = input;
  const files = entries
    .filter(entry => entry.kind === 'file')
    .map(({ path }) => bind(`${filesDir}/${path}`, `/${path}`));
  const all: Placed[] = [
    { target: '/proc', words: ['--proc', '/proc'] },
    { target: '/dev', words: plan.network === 'allow' ? DEVICES : ['--dev', '/dev'] },
    // A uid 0 without capabilities is still the owner of what lies in /proc/sys, and could write there. For others the
    // modes do, but for those of its own namespaces. A bind of all of the host's /proc/sys would bring along what is
    // mounted there: binfmt_misc, by systemd.
    ...(closesProc(plan.user.uid)
      ? [{ target: '/proc', words: ['--remount-ro', '/proc'] }]
      : OWNED_SYSCTLS.map(path => ({ target: path, words: ['--ro-bind-try', path, path] }))),
    ...MASKED_PATHS.filter(path => path.startsWith('/proc/')).flatMap(path => mask(path, input.masks.get(path))),
    ...privateTmpfs(plan.limits).map(({ target, bytes, mode }) => ({
      target,
      words: ['--perms', mode.toString(8), '--size', String(bytes), '--tmpfs', target],
    })),
    ...[...plan.root.mounts, ...files, ...input.cgroups, bind(input.supervisorDir, SUPERVISOR_DIR), ...plan.mounts].map(
      mount,
    ),
  ];
  const depth = ({ target }: Placed) => target.split('/').length;
  return all.sort((a, b) => depth(a) - depth(b));
}

function bind(source: string, target: string): Mount {
  return { source, target, mode: 'ro' };
}

function mount({ source, target, mode }: Mount): Placed {
  return { target, words: [mode === 'ro' ? '--ro-bind' : '--bind', source, target] };
}

function mask(path: string, kind?: 'folder' | 'missing'): Placed[] {
  if (kind === 'missing') return [];
  const words = kind === 'folder' ? ['--tmpfs', path, '--remount-ro', path] : ['--ro-bind', '/dev/null', path];
  return [{ target: path, words }];
}

/** bubblewrap would make the folders above a private folder private as well, and only its own user's. */
function withParents(all: Placed[]): string[] {
  const made = new Set<string>(['/']);
  return all.flatMap(({ target, words }) => {
    const parents = ancestors(target).filter(path => !made.has(path));
    for (const path of [...parents, target]) made.add(path);
    return [...parents.flatMap(path => ['--dir', path]), ...words];
  });
}

/** Nearest to the root first. */
function ancestors(path: string): string[] {
  const parent = posix.dirname(path);
  return parent === '/' ? [] : [...ancestors(parent), parent];
}
