import { posix } from 'node:path';
import { isWithin } from './walk.js';

/** One line of /proc/self/mountinfo (proc(5)). */
export interface HostMount {
  /** `major:minor` of the file system. */
  device: string;
  /** Which folder of that file system is shown. */
  root: string;
  /** Where it is shown. */
  point: string;
  type: string;
}

/**
 * A place that does not depend on how it is reached: file system, and path in it. Two paths that a bind mount makes the
 * same have the same place, so that a bind of /etc inside a workspace is seen for what it is.
 */
export interface Place {
  device: string;
  path: string;
}

/** Reads /proc/self/mountinfo; an empty text (no Linux) yields one file system. */
export function parseMountinfo(text: string): HostMount[] {
  return text.split('\n').flatMap(line => {
    const [mount, source] = line.split(' - ');
    const [, , device, root, point] = mount!.split(' ');
    const type = source?.split(' ')[0];
    return device && root && point && type ? [{ device, root: unmangle(root), point: unmangle(point), type }] : [];
  });
}

/** The kernel writes space, tab, newline and backslash as three octal digits. */
function unmangle(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

/** The mount that a canonical path lies on: the nearest above it, and of several at one point the last. */
export function mountOf(mounts: HostMount[], path: string): HostMount | undefined {
  return mounts
    .filter(mount => isWithin(path, mount.point))
    .reduce<HostMount | undefined>(
      (best, mount) => (best && best.point.length > mount.point.length ? best : mount),
      undefined,
    );
}

/** Mounts strictly below a canonical path. */
export function mountsBelow(mounts: HostMount[], path: string): HostMount[] {
  return mounts.filter(mount => mount.point !== path && isWithin(mount.point, path));
}

/** What is mounted below a canonical path, in words that can be compared; undefined where nothing is. */
export function submountsOf(mounts: HostMount[], path: string): string[] | undefined {
  const below = mountsBelow(mounts, path).map(({ point, device, root, type }) => `${point} ${type} ${device} ${root}`);
  return below.length > 0 ? below : undefined;
}

/** The place that a canonical path means. */
export function placeOf(mounts: HostMount[], path: string): Place {
  const mount = mountOf(mounts, path);
  if (!mount) return { device: '', path };
  return { device: mount.device, path: posix.join(mount.root, posix.relative(mount.point, path)) };
}

/**
 * The places that a bind of a canonical path shows: its own, and those of the mounts below it, which come along.
 * `via` is the mount point through which a place is shown; empty for the path's own.
 */
export function placesIn(mounts: HostMount[], path: string): Array<Place & { via: string }> {
  const below = mountsBelow(mounts, path).map(({ device, root, point }) => ({ device, path: root, via: point }));
  return [{ ...placeOf(mounts, path), via: '' }, ...below];
}

/** Whether a place is another one or lies below it. */
export function isPlaceWithin(place: Place, other: Place): boolean {
  return place.device === other.device && isWithin(place.path, other.path);
}
