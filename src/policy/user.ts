import { InvalidRequest } from '../sandbox/errors.js';
import { canUse } from './access.js';
import type { PolicyFolder } from './folders.js';
import type { User } from './plan.js';
import { quote } from './quote.js';

/** A pair of ids of the host. */
export interface Ids {
  uid: number;
  gid: number;
}

/** What decides which user code runs as. */
export interface UserChoice {
  /** The user of this process, with its supplementary groups. */
  service: Ids & { groups: readonly number[] };
  /** `user` is who the engine runs as, when that is not the service's own user. */
  engine: { rootless: boolean; user?: Ids | undefined };
  /** For a service that is root. */
  runAs?: Ids | undefined;
  rootFolders: 'allow' | 'refuse';
  privilegedGids: ReadonlySet<number>;
}

/** `nobody` of every distribution: owns nothing. */
export const NOBODY: Ids = { uid: 65534, gid: 65534 };

/**
 * Chooses who code runs as, in the host's ids, so that what it creates belongs to whoever runs the service, or to the
 * folder's owner when that is root.
 * @throws InvalidRequest when that user cannot use one of the folders.
 */
export function chooseUser(folders: PolicyFolder[], choice: UserChoice): { user: User; warnings: string[] } {
  const ids = idsFor(folders, choice);
  const user = { uid: ids.uid, gid: ids.gid, groups: groupsFor(ids, folders, choice) };
  if (ids.uid !== 0) return { user: checked(user, folders), warnings: [] };
  const owned = folders.find(folder => folder.facts.uid === 0);
  const why = owned ? `${quote(owned.requested)} (policy.${owned.field}) belongs to root` : 'safety.runAs names it';
  if (choice.rootFolders === 'refuse') {
    throw new InvalidRequest(
      `The code would run as uid 0, since ${why}, and the configuration refuses that (safety.rootFolders). Give the folder to an ordinary user, or set safety.runAs to one.`,
      'refused',
    );
  }
  const warning = `Code runs as uid 0, without any capability, since ${why}. Give the folder to an ordinary user, or set safety.runAs to one.`;
  return { user: checked(user, folders), warnings: [warning] };
}

function idsFor(folders: PolicyFolder[], choice: UserChoice): Ids {
  const { service, engine, runAs, rootFolders, privilegedGids } = choice;
  // Uid 0 inside a rootless engine is the engine's user outside, and the only one whose files that user can delete.
  if (engine.rootless) return engine.user ?? service;
  if (service.uid !== 0) return service;
  if (runAs) return runAs;
  const owned = folders.find(({ mode }) => mode === 'rw') ?? folders.find(({ facts }) => facts.uid !== 0);
  if (owned) return ownerOf(owned, privilegedGids);
  // Nothing is written, so nobody need own it: root only where nobody else can read.
  const usable = folders.every(({ facts, mode }) => canUse({ ...NOBODY, groups: [] }, facts, mode));
  return usable || rootFolders === 'refuse' ? NOBODY : { uid: 0, gid: 0 };
}

/** A folder's group may open what no code is to get: then its owner goes without. */
function ownerOf({ facts: { uid, gid } }: PolicyFolder, privilegedGids: ReadonlySet<number>): Ids {
  return { uid, gid: uid !== 0 && privilegedGids.has(gid) ? NOBODY.gid : gid };
}

/** Groups that own a policy folder, that the service is in itself, and that open nothing else. A rootless engine can map none. */
function groupsFor(ids: Ids, folders: PolicyFolder[], { service, engine, privilegedGids }: UserChoice): number[] {
  if (engine.rootless) return [];
  const owning = new Set(folders.map(folder => folder.facts.gid));
  return [...owning]
    .filter(gid => gid !== ids.gid && service.groups.includes(gid) && !privilegedGids.has(gid))
    .sort((a, b) => a - b);
}

function checked(user: User, folders: PolicyFolder[]): User {
  const closed = folders.find(({ facts, mode }) => !canUse(user, facts, mode));
  if (!closed) return user;
  const { requested, field, facts, mode } = closed;
  const bits = facts.mode.toString(8).padStart(4, '0');
  throw new InvalidRequest(
    `The folder ${quote(requested)} (policy.${field}) cannot be ${mode === 'rw' ? 'written' : 'read'} by uid ${user.uid}, which the code runs as: it belongs to uid ${facts.uid}, gid ${facts.gid}, mode ${bits}. Give it to uid ${user.uid}, or open it to that user.`,
    'refused',
  );
}
