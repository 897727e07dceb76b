import { posix } from 'node:path';
import type { FileFacts, HostView } from '../../../src/policy/host.js';

/** A file system as data: what is at a path. `->x` is a link to x, text is a file's content. */
export type Tree = Record<string, Partial<FileFacts> | string>;

/** A host that is nothing but data. Folders above an entry are made, and belong to root. */
export function fakeHost(tree: Tree): HostView {
  const facts = new Map<string, FileFacts>();
  const add = (path: string, part: Partial<FileFacts>) => {
    if (path !== '/') add(posix.dirname(path), facts.get(posix.dirname(path)) ?? {});
    const identity = { device: 1n, inode: BigInt(facts.get(path)?.identity.inode ?? facts.size + 2) };
    facts.set(path, { kind: 'folder', uid: 0, gid: 0, mode: 0o755, identity, ...part });
  };
  add('/', {});
  for (const [path, entry] of Object.entries(tree)) {
    if (typeof entry !== 'string') add(path, entry);
    else add(path, entry.startsWith('->') ? { kind: 'link' } : { kind: 'file' });
  }
  const through = (path: string) => {
    const parent = posix.dirname(path);
    return path === '/' || facts.get(parent)?.kind === 'folder';
  };
  return {
    lstat: async path => (through(path) ? facts.get(path) : undefined),
    readlink: async path => (tree[path] as string).slice(2),
    readdir: async path => {
      const names = [...facts.keys()].filter(each => each !== '/' && posix.dirname(each) === path);
      return names.map(each => posix.basename(each)).sort();
    },
    entries: async (path, most) => {
      const paths = [...facts.keys()].filter(each => each !== '/' && posix.dirname(each) === path);
      const readable = ((facts.get(path)?.mode ?? 0) & 0o444) !== 0;
      const shown = readable ? paths.slice(0, most) : [];
      const entries = shown.map(each => ({ name: posix.basename(each), kind: facts.get(each)!.kind }));
      return { entries, whole: readable && shown.length === paths.length };
    },
    readText: async path => {
      const entry = tree[path];
      return typeof entry === 'string' && !entry.startsWith('->') ? entry : '';
    },
    listens: async path => facts.get(path)?.kind === 'socket',
    hold: async path => ({ facts: facts.get(path)!, path, close: async () => {} }),
  };
}
