import { KERNEL_FILE_SYSTEMS } from '../hardening/paths.js';
import type { Hazards } from './hazards.js';
import { type HostMount, isPlaceWithin, mountOf, mountsBelow, type Place, placeOf, placesIn } from './mountinfo.js';
import { quote } from './quote.js';

/** What of the host bears on whether a folder may be given to code. */
export interface World {
  mounts: HostMount[];
  hazards: Hazards['hazards'];
  /** The backend keeps what is mounted inside a read-only folder read-only too, or does not show it. */
  readOnlySubmounts: boolean;
}

/**
 * Why a folder may not be mounted, as the end of a sentence that begins with its path; undefined when it may.
 * Pure: everything it goes by is in `world`. A bind mount takes along what is mounted below the folder, so that
 * every rule is held against the folder and against each of those.
 */
export function objection(path: string, mode: 'ro' | 'rw', world: World): string | undefined {
  return (
    hazardIn(path, mode, world) ??
    kernelIn(path, world) ??
    (mode === 'ro' && !world.readOnlySubmounts ? submountIn(path, world) : undefined)
  );
}

/**
 * The same for sockets on which programs of the host take what others send. Pure.
 * @param sockets Canonical paths.
 */
export function socketObjection(path: string, mounts: HostMount[], sockets: string[]): string | undefined {
  const shown = placesIn(mounts, path);
  const found = sockets.find(socket => shown.some(each => isPlaceWithin(placeOf(mounts, socket), each)));
  return (
    found &&
    `holds the socket ${quote(found)} on which a program of the host listens, and code in the sandbox could talk to it; stop that program, move its socket, or set safety.sockets to "allow" in the configuration`
  );
}

function hazardIn(path: string, mode: 'ro' | 'rw', { mounts, hazards }: World): string | undefined {
  for (const hazard of hazards) {
    if (mode === 'ro' && hazard.readable) continue;
    const place = placeOf(mounts, hazard.path);
    const closed = hazard.closed ? [place, ...memoryIn(mounts, hazard.path)] : [];
    for (const shown of placesIn(mounts, path)) {
      const through = shown.via && `, through what is mounted on ${quote(shown.via)}`;
      if (isPlaceWithin(place, shown)) return `is or covers ${hazard.what}${through}; name a folder that does not`;
      if (closed.some(each => isPlaceWithin(shown, each)))
        return `lies in ${hazard.what}${through}; use another folder`;
    }
  }
  return undefined;
}

/** /run/user/UID and /dev/shm are file systems of their own. Others below a closed folder may be there by a bind. */
function memoryIn(mounts: HostMount[], path: string): Place[] {
  return mountsBelow(mounts, path)
    .filter(mount => mount.type === 'tmpfs')
    .map(({ device, root }) => ({ device, path: root }));
}

function kernelIn(path: string, { mounts }: World): string | undefined {
  const found = [mountOf(mounts, path), ...mountsBelow(mounts, path)].find(each =>
    KERNEL_FILE_SYSTEMS.has(each?.type ?? ''),
  );
  return (
    found &&
    `holds a mount of a kernel file system (${found.type} on ${quote(found.point)}), which reaches the host; unmount it`
  );
}

function submountIn(path: string, { mounts }: World): string | undefined {
  const [found] = mountsBelow(mounts, path);
  return (
    found &&
    `is to be read-only, but holds a mount of its own on ${quote(found.point)}, which would stay writable; name folders without mounts in them`
  );
}
