import { posix } from 'node:path';
import { InvalidRequest } from '../sandbox/errors.js';
import type { HostView } from './host.js';
import { shownAt } from './places.js';
import { quote } from './quote.js';
import { type Inside, sightOf } from './visible.js';
import { isWithin, walk } from './walk.js';

const KERNEL_FOLDERS = ['/proc', '/sys', '/dev'];

/**
 * The program's current folder inside, canonical. A folder that is missing is never made.
 * @param folders canonical paths of the policy folders, writable ones first.
 * @throws InvalidRequest when it lies neither in a policy folder nor in the root, or is no folder.
 */
export async function currentFolder(
  requested: string | undefined,
  folders: string[],
  inside: Inside,
  host: HostView,
): Promise<string> {
  const { mounts } = inside;
  if (requested === undefined) return folders[0] === undefined ? '/tmp' : shownAt(folders[0], mounts);
  const plain = posix.resolve(requested);
  if (plain === '/tmp' || folders.includes(plain)) return shownAt(plain, mounts);
  const place = await walk(host, requested);
  const path = place.found ? shownAt(place.path, mounts) : plain;
  if ([path, plain].some(each => KERNEL_FOLDERS.some(folder => isWithin(each, folder)))) {
    throw refusal(requested, 'lies under /proc, /sys or /dev, where no program may start');
  }
  const sight = sightOf(path, inside);
  if (sight === 'unknown') return plain;
  const shown = sight === 'policy' || sight === 'root' || leadsToMount(path, inside);
  if (!shown) {
    throw refusal(requested, 'is not there inside the sandbox; add it to fsRead or fsWrite, or leave cwd out');
  }
  if (!place.found) throw refusal(requested, `cannot be used: ${quote(place.at)} ${place.why}`);
  if (place.facts.kind !== 'folder') throw refusal(requested, `is a ${place.facts.kind}, not a folder`);
  return path;
}

/** A sandbox has the folders above its mounts as well, empty but for the way down. */
function leadsToMount(path: string, { mounts, root }: Inside): boolean {
  return [...mounts, ...root.mounts].some(mount => isWithin(mount.target, path));
}

function refusal(cwd: string, message: string): InvalidRequest {
  return new InvalidRequest(`The current folder ${quote(cwd)} (cwd) ${message}.`, 'refused');
}
