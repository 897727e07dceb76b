/** Where an image declares no PATH. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The folders of PATH in an image's environment. */
export function pathOf(env: readonly string[]): string[] {
  const path = env.find(entry => entry.startsWith('PATH='))?.slice('PATH='.length) ?? DEFAULT_PATH;
  return path.split(':').filter(Boolean);
}
