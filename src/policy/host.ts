import type { Identity } from './plan.js';

/** What `lstat` says about one file system object. */
export interface FileFacts {
  kind: 'folder' | 'file' | 'link' | 'socket' | 'other';
  uid: number;
  gid: number;
  /** Permission bits, `0o7777` at most. */
  mode: number;
  identity: Identity;
}

/** What is kept open, so that its inode cannot be given to something else while a run needs it. */
export interface Held {
  readonly facts: FileFacts;
  /** The kernel's own word for where it is, which no link can bend; undefined where there is none to ask. */
  readonly path: string | undefined;
  close(): Promise<void>;
}

/** Names in a folder, with the kinds of what they name. */
export interface Listing {
  entries: Array<{ name: string; kind: FileFacts['kind'] }>;
  /** There are no others; false where the folder could not be read. */
  whole: boolean;
}

/**
 * All that the policy reads of the host. Everything that decides is pure, and is given what this yields. Each look but
 * `entries` rejects where this process is short of descriptors or memory.
 */
export interface HostView {
  /** Does not follow a link; undefined where nothing is. Rejects with the system's error for the rest. */
  lstat(path: string): Promise<FileFacts | undefined>;
  readlink(path: string): Promise<string>;
  /** Names in a folder, sorted; none where there is no readable folder. */
  readdir(path: string): Promise<string[]>;
  /** At most `most` names of a folder, in no order. */
  entries(path: string, most: number): Promise<Listing>;
  /** A text file; empty where there is no readable one. */
  readText(path: string): Promise<string>;
  /** Whether a program takes what is sent to the socket at a path. Never rejects. */
  listens(path: string): Promise<boolean>;
  /**
   * Opens whatever is there, without following a link in the last place and without waiting for anybody: what it is must
   * be checked on what is held. Rejects with the system's error.
   */
  hold(path: string): Promise<Held>;
}

/** The same host with every `lstat` made once: a request's paths share most of their way. For one preparation only. */
export function remembering(host: HostView): HostView {
  const seen = new Map<string, Promise<FileFacts | undefined>>();
  const lstat = (path: string) => {
    const known = seen.get(path) ?? host.lstat(path);
    seen.set(path, known);
    return known;
  };
  return { ...host, lstat };
}
