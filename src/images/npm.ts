import { mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessService } from '../aalis.js';
import { InvalidImage } from '../sandbox/errors.js';
import { cacheFolder } from './cache.js';
import type { ContextEntry } from './context.js';
import type { Manifest } from './manifest.js';

const DEADLINE_MS = 600_000;

/** What an image's npm packages are called on an architecture: key and `name@version`. */
export function npmPackages(manifest: Manifest, architecture: string): Array<[key: string, spec: string]> {
  return Object.entries(manifest.packages.npm).map(([key, spec]) => [key, spec.replaceAll('{arch}', architecture)]);
}

/**
 * The archives of npm packages as entries of a context, `npm/KEY.tgz`. npm itself fetches them, from the registry that
 * its configuration names, and checks them against that registry's digests; each is fetched once.
 * @throws InvalidImage with npm's own words when one cannot be had
 */
export async function npmEntries(
  packages: Array<[key: string, spec: string]>,
  cache: string,
  process: ProcessService,
): Promise<ContextEntry[]> {
  const entries: ContextEntry[] = [];
  for (const [key, spec] of packages) {
    const source = join(await cacheFolder(cache, 'npm'), `${spec.replaceAll('/', '+')}.tgz`);
    const facts = await stat(source).catch(() => fetchPackage(spec, source, process));
    entries.push({ path: `npm/${key}.tgz`, kind: 'file', source, executable: false, bytes: facts.size });
  }
  return entries;
}

async function fetchPackage(spec: string, source: string, process: ProcessService) {
  const folder = await mkdtemp(`${source}-`);
  try {
    const args = ['pack', spec, '--ignore-scripts', '--loglevel=error', '--pack-destination', folder];
    await process.execFile('npm', args, { cwd: folder, timeout: DEADLINE_MS });
    const [archive] = await readdir(folder);
    if (!archive) throw new Error('npm pack left no archive');
    await rename(join(folder, archive), source);
    return await stat(source);
  } catch (cause) {
    throw new InvalidImage(
      `The npm package ${spec} cannot be fetched, which takes npm and its registry: ${(cause as Error).message}`,
      { cause },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
