import { mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Folder for what builds leave behind and can make again: base roots, archives of npm packages, the lock. */
export function defaultCacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'code-sandbox');
}

/** Makes a folder in the cache, for this user only, and answers its path. */
export async function cacheFolder(cache: string, name: string): Promise<string> {
  const folder = join(cache, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}
