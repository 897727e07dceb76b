/** What a sandbox is before its program is known. Pure data: `policy/` makes it, backends carry it out. */

import type { Entry } from './baseimage.js';

/** A bind mount of a host's folder or file. */
export interface Mount {
  /** Canonical absolute path on the host (no links in it). */
  source: string;
  /** Absolute path inside the sandbox. */
  target: string;
  mode: 'ro' | 'rw';
  /** `st_dev` and `st_ino` of the source when it was checked; the supervisor compares them from inside. */
  identity?: Identity;
  /** What was mounted below the source when it was judged, since that comes along; missing where nothing was. */
  below?: string[];
}

/** Which file system object a path meant when it was checked. */
export interface Identity {
  device: bigint;
  inode: bigint;
}

/** The user that code runs as, in the ids of the host. */
export interface User {
  uid: number;
  gid: number;
  /** Supplementary groups: only those that own a policy folder. */
  groups: number[];
}

/** Limits of one run. Byte counts are bytes, times are milliseconds. */
export interface Limits {
  timeoutMs: number;
  memoryBytes: number;
  pids: number;
  tmpBytes: number;
  shmBytes: number;
  outputBytes: number;
  /** Largest file that the program may write. */
  fileBytes: number;
  /** Free space of the writable folders' file systems below which a run is ended; 0 turns it off. */
  diskFloorBytes: number;
  /** CPUs, fractions allowed; 0 is unlimited. */
  cpus: number;
}

/** The root file system: an image of the engine, or the host's own system folders over an almost empty one. */
export interface Root {
  kind: 'host' | 'image';
  /** What to call it in messages: a reference, or `host`. */
  name: string;
  /** Id of an image, which stays when the reference comes to mean another one. */
  id?: string;
  /** Read-only mounts that make up a host root; empty for an image. */
  mounts: Mount[];
  /** PATH inside. */
  path: string[];
  /** Environment that the root declares for itself (manifest, or an image's own PATH-like variables). */
  env: Record<string, string>;
  /** Links and mount points that the almost empty file system below a host root must have. */
  entries?: readonly Entry[];
  /** Interpreters that the root is known to have, by name: their paths inside. */
  commands?: Record<string, string>;
}

/** A sandbox to be opened. Two equal plans make interchangeable sandboxes. */
export interface Plan {
  mounts: Mount[];
  network: 'deny' | 'allow';
  user: User;
  limits: Limits;
  root: Root;
  /** OCI runtime to ask for by name, or the engine's default. */
  runtime?: string;
}
