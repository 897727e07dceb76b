import type { Dirent } from 'node:fs';
import { constants } from 'node:fs';
import { chmod, type FileHandle, open, opendir } from 'node:fs/promises';
import { FOLDER, O_PATH } from '../policy/open-path.js';
import type { Mount, Plan } from '../policy/plan.js';
import { writableTops } from '../policy/writable.js';

const SETUID_SETGID = 0o6000;
/** Entries that are looked at after one run; some 30 microseconds each. */
const MOST_ENTRIES = 20_000;
/** Each level holds a descriptor. */
const MOST_LEVELS = 100;
/** The coarsest time stamps are those of FAT. */
const SLACK_MS = 2000;

/**
 * Takes the setuid and setgid bits from files in the writable folders of a run as uid 0 that have changed since a time:
 * the second line behind the supervisor's filter, since with such bits anybody on the host could run them as root.
 * Goes by descriptors and follows no link, so that another run in the same folder cannot lead it astray.
 * @param since milliseconds since 1970; the kernel sets the time at which a file's mode changed, and no program can
 * @returns for the log: what was found, and which folders could not be looked through to their end
 */
export async function stripSetIds({ user, mounts }: Plan, since: number): Promise<string[]> {
  if (user.uid !== 0) return [];
  const search = new Search(since - SLACK_MS);
  const warnings: string[] = [];
  for (const mount of writableTops(mounts)) {
    const whole = await search.mount(mount).catch(() => false);
    if (!whole) {
      warnings.push(
        `Setuid and setgid files were not looked for in all of ${mount.source}, where code runs as uid 0: ` +
          `it has more than ${MOST_ENTRIES} entries or ${MOST_LEVELS} levels, or cannot be read. Give it to an ordinary user.`,
      );
    }
  }
  if (search.stripped > 0) {
    warnings.push(`A run as uid 0 left ${search.stripped} files with setuid or setgid bits, which were taken off.`);
  }
  return warnings;
}

class Search {
  stripped = 0;
  #entries = 0;
  readonly #since: number;

  constructor(since: number) {
    this.#since = since;
  }

  /** @returns false when it had to stop before the end */
  async mount({ source, identity }: Mount): Promise<boolean> {
    const folder = await open(source, FOLDER);
    try {
      const { dev, ino } = await folder.stat({ bigint: true });
      return (!identity || (dev === identity.device && ino === identity.inode)) && (await this.#through(folder, 1));
    } finally {
      await folder.close();
    }
  }

  async #through(folder: FileHandle, level: number): Promise<boolean> {
    if (level > MOST_LEVELS) return false;
    const at = Buffer.from(`/proc/self/fd/${folder.fd}/`);
    // Bytes, since a name need not be UTF-8.
    const entries = (await opendir(at, { encoding: 'buffer' as BufferEncoding })) as AsyncIterable<Dirent<Buffer>>;
    for await (const entry of entries) {
      this.#entries += 1;
      if (this.#entries > MOST_ENTRIES) return false;
      if (!entry.isFile() && !entry.isDirectory()) continue;
      const held = await open(Buffer.concat([at, entry.name]), O_PATH | constants.O_NOFOLLOW).catch(() => undefined);
      if (!held) continue;
      try {
        if (!(await this.#inspect(held, level))) return false;
      } finally {
        await held.close();
      }
    }
    return true;
  }

  async #inspect(held: FileHandle, level: number): Promise<boolean> {
    const stats = await held.stat();
    if (stats.isDirectory()) return this.#through(held, level + 1);
    if (stats.isFile() && stats.mode & SETUID_SETGID && stats.ctimeMs >= this.#since) {
      await chmod(`/proc/self/fd/${held.fd}`, stats.mode & 0o7777 & ~SETUID_SETGID);
      this.stripped += 1;
    }
    return true;
  }
}
