import { createHash } from 'node:crypto';
import { mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessService } from '../aalis.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { cacheFolder } from './cache.js';

const DEADLINE_MS = 1_800_000;
const SUITE = 'bookworm';
/** 2024-01-01; files that are newer get this time, so that the same packages give the same bytes. */
const SOURCE_DATE_EPOCH = '1704067200';

/** What nobody reads in a sandbox. dpkg keeps to this list in the image, too, whatever is installed later. */
const LEFT_OUT = ['doc', 'man', 'info', 'locale', 'lintian', 'bash-completion', 'gtk-doc', 'help'];

/** The arguments for mmdebstrap, without the archive's path. */
const ARGUMENTS = [
  '--quiet',
  '--variant=apt',
  // Merges /usr beforehand; the package that does it afterwards brings 50 MB of Perl.
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  '--aptopt=APT::Install-Recommends "false"',
  ...LEFT_OUT.map(name => `--dpkgopt=path-exclude=/usr/share/${name}/*`),
  '--dpkgopt=path-include=/usr/share/doc/*/copyright',
  SUITE,
];

/** Stands for all that the root's content is asked to be; new packages of Debian do not change it. */
export const DEBIAN_RECIPE = createHash('sha256')
  .update(JSON.stringify([...ARGUMENTS, SOURCE_DATE_EPOCH]))
  .digest('hex')
  .slice(0, 24);

/**
 * A minimal Debian root as a tar archive in the cache, made with mmdebstrap when it is not there yet.
 * @returns its path
 * @throws BackendUnavailable with mmdebstrap's own words
 */
export async function debianRoot(cache: string, fresh: boolean, process: ProcessService): Promise<string> {
  const folder = await cacheFolder(cache, 'base');
  const archive = join(folder, `debian-${DEBIAN_RECIPE}.tar`);
  if (!fresh && (await stat(archive).catch(() => undefined))) return archive;
  const work = await mkdtemp(join(folder, 'making-'));
  try {
    const target = join(work, 'root.tar');
    const env = { SOURCE_DATE_EPOCH };
    await process.execFile('mmdebstrap', [...ARGUMENTS, target], { env, timeout: DEADLINE_MS });
    await rename(target, archive);
    return archive;
  } catch (cause) {
    throw new BackendUnavailable(
      `The local base (--base local) cannot be made: ${(cause as Error).message}. It needs mmdebstrap and a mirror of Debian.`,
      { cause },
    );
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
