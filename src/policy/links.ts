import { quote } from './quote.js';
import { isWithin, type PassedLink } from './walk.js';

/** Who may have made a link. */
export interface Trust {
  /**
   * Canonical folders that code may write, in this run or in earlier ones. Nothing but this list tells a planted link from
   * one of the operator's, since code writes as the service's user: what it does not name is trusted.
   */
  writable: readonly string[];
  /** Uid of the service. */
  uid: number;
}

/**
 * Why a path may not be followed through its links, as the end of a sentence that begins with the path: one run plants
 * a link, and the next would be given what it points to. Elsewhere, links that only root or the service's user can make
 * are fine (/var/run, a /home that was moved, ~/data on another disk).
 */
export function linkObjection(links: PassedLink[], trust: Trust): string | undefined {
  for (const { path, folder } of links) {
    const passes = `passes through the symbolic link ${quote(path)}`;
    const writable = trust.writable.find(each => isWithin(path, each));
    if (writable) return `${passes}, which lies where code may write (${quote(writable)}); name the folder itself`;
    if (folder.mode & 0o002) return `${passes}, which lies where anybody may write; name the folder itself`;
    if (folder.uid !== 0 && folder.uid !== trust.uid) {
      return `${passes}, which the user with uid ${folder.uid} can turn elsewhere; name the folder itself`;
    }
    if (path.startsWith('/proc/'))
      return `${passes}, which means another folder to each reader; name the folder itself`;
  }
  return undefined;
}
