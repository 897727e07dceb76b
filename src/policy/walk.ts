import { posix } from 'node:path';
import type { FileFacts, HostView } from './host.js';

/** A symbolic link that a path passes through, and the folder that it lies in. */
export interface PassedLink {
  path: string;
  folder: FileFacts;
}

/** Where a path leads, or why it leads nowhere (for a message: `… does not exist`). */
export type Walk =
  | { found: true; path: string; facts: FileFacts; links: PassedLink[] }
  | { found: false; at: string; why: string; links: PassedLink[] };

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Follows an absolute path as the kernel would, name by name, and tells every link on the way: `realpath` would keep
 * them to itself, and where a link lies decides whether it may be trusted.
 */
export async function walk(host: HostView, path: string): Promise<Walk> {
  const links: PassedLink[] = [];
  const pending = path.split('/').reverse();
  let at = '/';
  try {
    let facts = await host.lstat(at);
    while (pending.length > 0) {
      const name = pending.pop()!;
      if (name === '' || name === '.') continue;
      if (facts?.kind !== 'folder') return { found: false, at, why: 'is not a folder', links };
      const next = name === '..' ? posix.dirname(at) : posix.join(at, name);
      const found = await host.lstat(next);
      if (!found) return { found: false, at: next, why: 'does not exist', links };
      if (found.kind !== 'link') {
        at = next;
        facts = found;
        continue;
      }
      links.push({ path: next, folder: facts });
      if (links.length > MOST_LINKS) return { found: false, at: next, why: 'is a link too many', links };
      const target = await host.readlink(next);
      pending.push(...target.split('/').reverse());
      if (target.startsWith('/')) {
        at = '/';
        facts = await host.lstat(at);
      }
    }
    return facts ? { found: true, path: at, facts, links } : { found: false, at, why: 'does not exist', links };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { found: false, at, why: `cannot be passed by the service's own user (${code})`, links };
  }
}

/** Whether `path` is `folder` or lies below it; both canonical. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || folder === '/' || path.startsWith(`${folder}/`);
}
