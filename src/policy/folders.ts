import { posix } from 'node:path';
import { InvalidRequest } from '../sandbox/errors.js';
import type { FileFacts, Held, HostView } from './host.js';
import { quote } from './quote.js';
import { type PassedLink, walk } from './walk.js';

/** A policy folder that was found on the host, and is held open. */
export interface PolicyFolder {
  field: string;
  /** As the request spells it, without empty and `.` parts. */
  requested: string;
  /** Canonical path. */
  path: string;
  /** Where it is shown inside, if not under its own paths. */
  target?: string | undefined;
  mode: 'ro' | 'rw';
  facts: FileFacts;
  links: PassedLink[];
}

/**
 * Finds a policy folder and holds it open. The kernel is asked where the held one lies, since a link may be swapped in
 * while the path is followed; the supervisor compares the held one with what the sandbox sees.
 * @param keep takes each opened folder, so that the caller can close it whatever happens next.
 * @throws InvalidRequest when there is no such folder, and never makes one.
 */
export async function findFolder(
  host: HostView,
  field: string,
  path: string,
  mode: 'ro' | 'rw',
  keep: (held: Held) => void,
): Promise<PolicyFolder> {
  const found = await walk(host, path);
  if (!found.found) {
    const where = found.at === path ? 'it' : quote(found.at);
    throw folderRefusal(
      field,
      path,
      `cannot be used: ${where} ${found.why}. Nothing was created; make the folder first`,
    );
  }
  if (found.facts.kind !== 'folder') {
    throw folderRefusal(field, path, `is a ${found.facts.kind}, not a folder; name the folder that contains it`);
  }
  const held = await host.hold(found.path).catch((error: NodeJS.ErrnoException) => {
    throw folderRefusal(field, path, `cannot be opened (${error.code})`);
  });
  keep(held);
  if (held.facts.kind !== 'folder' || (held.path ?? found.path) !== found.path) {
    throw folderRefusal(field, path, 'was exchanged for something else while it was being checked');
  }
  return { field, requested: spelled(path), path: found.path, mode, facts: held.facts, links: found.links };
}

/** The refusal of a policy folder: `message` continues a sentence that begins with the path. */
export function folderRefusal(field: string, path: string, message: string): InvalidRequest {
  return new InvalidRequest(`The folder ${quote(path)} (policy.${field}) ${message}.`, 'refused');
}

/** A path without empty and `.` parts. `..` stays: what it means depends on links. */
export function spelled(path: string): string {
  return path.includes('/..') ? path : posix.resolve(path);
}
