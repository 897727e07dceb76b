import type { RuntimeMount } from '../../src/launcher/oci/config.js';
import { type Change, FOLDERS, isWord, type Mutation, together, words } from './mutation.js';

const isAt = (place: RegExp) => (option: string[]) => place.test(option.at(-1)!);
const binds = (place: RegExp) => (option: string[]) => /^--(ro-)?bind$/.test(option[0]!) && isAt(place)(option);

/** Changes the options of the runtime's mounts at a place. */
const mountsAt = (place: RegExp, change: (words: string[], mount: RuntimeMount) => string[]): Change => ({
  oci: ({ mounts }) => {
    for (const mount of mounts) if (place.test(mount.destination)) mount.options = change(mount.options, mount);
  },
});
const without = (word: string | RegExp) => (list: string[]) => {
  return list.filter(each => (typeof word === 'string' ? each !== word : !word.test(each)));
};
const writable = (list: string[]) => list.map(word => (word === 'ro' ? 'rw' : word));

const CGROUPS = /^\/sys\/fs\/cgroup/;
const ETC = /^\/etc\/(hosts|hostname|resolv\.conf)$/;

/** What launchers are told of mounts, and of files of the kernel that are hidden or closed. */
export const launcherMounts: Mutation[] = [
  {
    option: 'own /etc/hosts, /etc/hostname, /etc/resolv.conf',
    notices: ['the host’s names and resolver'],
    change: together(
      words(binds(ETC), ([word, , target]) => [[word!, target!, target!]]),
      mountsAt(ETC, (options, mount) => {
        mount.source = mount.destination;
        return options;
      }),
    ),
  },
  {
    option: 'read-only root (--remount-ro /; root.readonly)',
    notices: ['a file in every folder there is'],
    change: {
      ...words(isWord('--remount-ro', '/')),
      oci: ({ root }) => {
        root.readonly = false;
      },
    },
  },
  {
    option: 'read-only /dev (--remount-ro /dev; a cover)',
    notices: ['a file in every folder there is'],
    change: together(words(isWord('--remount-ro', '/dev')), mountsAt(/^\/dev$/, writable)),
  },
  {
    option: 'cover over /dev/mqueue',
    notices: ['a file in every folder there is'],
    change: mountsAt(/^\/dev\/mqueue$/, writable),
  },
  {
    option: 'read-only mounts (--ro-bind; ro)',
    notices: ['a file that may only be read, changed in every way', 'a Node program that writes outside of its folder'],
    change: together(
      words(
        option => isWord('--ro-bind')(option) && isAt(FOLDERS)(option),
        ([, ...paths]) => [['--bind', ...paths]],
      ),
      mountsAt(FOLDERS, writable),
    ),
  },
  {
    option: 'no devices in folders (nodev)',
    notices: ['a device node of the host'],
    root: true,
    change: together(
      words(binds(FOLDERS), ([, ...paths]) => [['--dev-bind', ...paths]]),
      mountsAt(FOLDERS, without(/^r?nodev$/)),
    ),
  },
  {
    option: 'sizes of /tmp and /dev/shm (--size; size)',
    notices: ['the kernel’s file systems, /tmp and shared memory filled beyond their size'],
    change: together(words(isWord('--size')), mountsAt(/^\/(tmp|dev\/shm)$/, without(/^size=/))),
  },
  {
    option: 'noexec of /dev/shm',
    notices: ['a program executed from shared memory'],
    change: mountsAt(/^\/dev\/shm$/, list => list.map(word => (word === 'noexec' ? 'exec' : word))),
  },
  {
    option: 'hidden parts of /proc (binds of /dev/null, covers; maskedPaths)',
    notices: ['the kernel’s memory, keys and log, and the engine’s cgroup path'],
    change: {
      ...words(option => !isWord('--ro-bind-try')(option) && isAt(/^\/proc\/./)(option)),
      oci: ({ linux }) => {
        linux.maskedPaths = [];
      },
    },
  },
  {
    option: 'read-only /proc, for uid 0 (--remount-ro /proc; readonlyPaths)',
    notices: ['modes in /proc and /sys, which are the same for the whole host, as uid 0'],
    root: true,
    change: {
      ...words(isWord('--remount-ro', '/proc')),
      oci: ({ linux }) => {
        linux.readonlyPaths = linux.readonlyPaths.filter(path => path !== '/proc');
      },
    },
  },
  {
    option: 'read-only parts of /proc (--ro-bind-try; readonlyPaths)',
    notices: ['files of /proc, /sys and cgroups opened for writing, as uid 12345'],
    root: true,
    change: {
      ...words(isWord('--ro-bind-try')),
      oci: ({ linux }) => {
        linux.readonlyPaths = [];
      },
    },
  },
  {
    option: 'read-only /sys',
    notices: ['files of /proc, /sys and cgroups opened for writing, as uid 0'],
    root: true,
    change: mountsAt(/^\/sys$/, writable),
  },
  {
    option: 'read-only view of the cgroup tree, for uid 0 (--ro-bind; ro)',
    notices: ['files of /proc, /sys and cgroups opened for writing, as uid 0'],
    root: true,
    change: together(
      words(binds(CGROUPS), ([, ...paths]) => [['--bind', ...paths]]),
      mountsAt(CGROUPS, writable),
    ),
  },
];
