import { posix } from 'node:path';
import { rlimitsOf } from '../hardening/rlimits.js';
import { BackendUnavailable, InvalidRequest, isShortage, messageOf } from '../sandbox/errors.js';
import type { Program } from '../supervisor/frame.js';
import { currentFolder } from './cwd.js';
import { environmentOf } from './environment.js';
import { findFolder, folderRefusal, type PolicyFolder } from './folders.js';
import type { Hazards } from './hazards.js';
import { type Held, type HostView, remembering } from './host.js';
import { withPrefixes } from './hostroot.js';
import { commandInside } from './interpreter.js';
import { objection, socketObjection } from './judge.js';
import { layOut } from './layout.js';
import { linkObjection, type Trust } from './links.js';
import { mergeFolders } from './merge.js';
import { type HostMount, submountsOf } from './mountinfo.js';
import type { Limits, Mount, Plan, Root } from './plan.js';
import { prefixesOf } from './prefix.js';
import { plantedSince, protect } from './protect.js';
import { type CheckedRequest, checkRequest } from './request.js';
import { chooseUser, type Ids } from './user.js';
import { sightOf } from './visible.js';
import { isWithin, walk } from './walk.js';
import { type KernelTables, readTables, socketsIn } from './world.js';

/** The part of the configuration that the policy goes by. */
export interface PolicyConfig {
  /** `timeoutMs` is for requests that name none. */
  limits: Limits;
  maxTimeoutMs: number;
  /** Folders in which a program of the host listens on a socket. */
  sockets: 'refuse' | 'allow';
  /** A service that is root and a folder that is root's: run as uid 0 without capabilities, or refuse. */
  rootFolders: 'allow' | 'refuse';
  /** For a service that is root. */
  runAs?: Ids | undefined;
  runtime?: string | undefined;
  /** What tools of the host would run or obey is read-only in a writable folder. */
  protect?: boolean | undefined;
}

/** What a request is held against. */
export interface PolicyFacts {
  config: PolicyConfig;
  host: HostView;
  hazards: Hazards;
  root: Root;
  service: Ids & { groups: readonly number[] };
  engine: {
    rootless: boolean;
    /** Who a rootless engine runs as, when that is not the service's own user. */
    user?: Ids | undefined;
    /** Proven: what is mounted inside a read-only folder is read-only too, or not shown. */
    readOnlySubmounts?: boolean | undefined;
  };
  /** The service's own PATH, for requests that give none. */
  searchPath?: string | undefined;
  /** Where a policy folder is shown inside, by the path that the request gives it; default: under that path itself. */
  places?: Readonly<Record<string, string>> | undefined;
  /** Canonical folders that earlier runs could write: a link in them is no way to a folder. */
  planted?: readonly string[] | undefined;
}

/** A run that only needs a backend. */
export interface PreparedRun {
  plan: Plan;
  program: Program;
  /** For the log: what was decided that a caller may not expect. */
  warnings: string[];
  /** What appeared in the writable folders that tools of the host would run or obey; none unless that is protected. */
  planted(): Promise<string[]>;
  /** Lets go of the folders that are held open. To be called when the run is over; idempotent. */
  release(): Promise<void>;
}

/**
 * Turns a request into a plan and a program, or refuses it. Creates nothing, in the engine or on the host; the policy's
 * folders are held open until `release`.
 * @throws InvalidRequest; BackendUnavailable where this process is out of descriptors or memory. Nothing else.
 */
export async function prepareRun(request: unknown, facts: PolicyFacts): Promise<PreparedRun> {
  return prepareChecked(checkRequest(request, facts.config.maxTimeoutMs), facts);
}

/** The same for a request that has been checked: one is read once only, since the caller's object may change. */
export async function prepareChecked(checked: CheckedRequest, facts: PolicyFacts): Promise<PreparedRun> {
  const held: Held[] = [];
  let released = false;
  const release = async () => {
    released = true;
    await Promise.all(held.splice(0).map(folder => folder.close()));
  };
  // One that is opened when something else has failed already comes too late.
  const keep = (folder: Held) => (released ? void folder.close() : void held.push(folder));
  try {
    const remembered = { ...facts, host: remembering(facts.host) };
    const { protection, ...prepared } = await prepare(checked, remembered, keep);
    const planted = async () => (protection ? plantedSince(protection, facts.host) : []);
    return { ...prepared, planted, release };
  } catch (error) {
    await release();
    if (error instanceof InvalidRequest) throw error;
    if (isShortage(error)) {
      throw new BackendUnavailable(
        `The run request cannot be checked, for want of the host: ${messageOf(error)}. Run less at once, or raise the limit (ulimit -n).`,
        { cause: error },
      );
    }
    throw new InvalidRequest(`The run request cannot be checked: ${(error as Error).message}.`, 'invalid', {
      cause: error,
    });
  }
}

async function prepare(request: CheckedRequest, facts: PolicyFacts, keep: (held: Held) => void) {
  const { config, host, service, engine } = facts;
  const [folders, tables] = await Promise.all([policyFolders(request, facts, keep), readTables(host)]);
  const trust = { writable: writableFolders(folders, facts), uid: service.uid };
  for (const { field, requested, links } of folders) {
    const why = linkObjection(links, trust);
    if (why) throw folderRefusal(field, requested, why);
  }
  const command = await commandOnHost(request, facts);
  const root = await rootFor(command, facts, trust);
  const given = mergeFolders(folders, path => sightOf(path, { mounts: [], root }) === 'root');
  const protection = config.protect ? await protect(host, given) : undefined;
  const shown = await layOut(host, given, protection?.mounts);
  const mounts = shown.map(mount => withSubmounts(mount, tables.mounts));
  await judgeMounts(mounts, folders, tables, facts);
  const { privilegedGids } = facts.hazards;
  const { user, warnings } = chooseUser(folders, { ...config, service, engine, privilegedGids });
  const inside = { mounts, root };
  const paths = folders.map(folder => folder.path);
  const cwd = await currentFolder(request.cwd, paths, inside, host);
  const interpreter = await commandInside(root === facts.root ? request.cmd : command, cwd, inside, host);

  const limits = { ...config.limits, timeoutMs: request.timeout ?? config.limits.timeoutMs };
  const { network } = request.policy;
  const plan: Plan = { mounts, network, user, limits, root, ...(config.runtime ? { runtime: config.runtime } : {}) };
  const program: Program = {
    argv: [interpreter.command, ...request.args],
    env: environmentOf(request.env, inside),
    cwd,
    deadlineMs: limits.timeoutMs,
    stdin: false,
    rlimits: rlimitsOf(limits),
    mounts: mounts.map(toProof),
  };
  const notes = [...warnings, ...interpreter.warnings, ...(protection?.warnings ?? [])];
  return { plan, program, warnings: notes, protection };
}

/** @throws InvalidRequest for what may not be given to code. Sockets come last, since they take a look into each folder. */
async function judgeMounts(mounts: Mount[], folders: PolicyFolder[], tables: KernelTables, facts: PolicyFacts) {
  const { config, host, engine, hazards } = facts;
  const refuse = (why: (mount: Mount) => string | undefined) => {
    for (const mount of mounts) {
      const message = why(mount);
      if (!message) continue;
      const { source } = mount;
      const { field, requested } = (folders.find(({ path }) => path === source) ??
        folders.find(({ path }) => isWithin(source, path)))!;
      throw folderRefusal(field, requested, message);
    }
  };
  const world = { ...hazards, mounts: tables.mounts, readOnlySubmounts: engine.readOnlySubmounts ?? false };
  refuse(({ source, mode }) => objection(source, mode, world));
  if (config.sockets !== 'refuse') return;
  const sockets = await socketsIn(host, folders, tables);
  refuse(({ source }) => socketObjection(source, tables.mounts, sockets));
}

/** Writable ones first, each list in the request's order: the first of them is the run's current folder. */
async function policyFolders(
  { policy }: CheckedRequest,
  { host, places }: PolicyFacts,
  keep: (held: Held) => void,
): Promise<PolicyFolder[]> {
  const found = await Promise.allSettled([
    ...policy.fsWrite.map(path => findFolder(host, 'fsWrite', path, 'rw', keep)),
    ...policy.fsRead.map(path => findFolder(host, 'fsRead', path, 'ro', keep)),
  ]);
  return found.map(each => {
    if (each.status === 'rejected') throw each.reason;
    return { ...each.value, target: places?.[each.value.requested] };
  });
}

function writableFolders(folders: PolicyFolder[], { planted = [] }: PolicyFacts): string[] {
  return [...planted, ...folders.filter(folder => folder.mode === 'rw').map(folder => folder.path)];
}

/**
 * Where the host has a command that its system folders do not: with nvm, in /usr/local. That is looked for as a shell of
 * the caller would, in the request's PATH or the service's own.
 */
async function commandOnHost({ cmd, env }: CheckedRequest, { host, root, searchPath }: PolicyFacts): Promise<string> {
  if (root.kind !== 'host' || cmd.includes('/') || root.commands?.[cmd]) return cmd;
  const path = env.find(([name]) => name === 'PATH')?.[1] ?? searchPath ?? '';
  for (const folder of path.split(':').filter(entry => entry.startsWith('/'))) {
    const place = await walk(host, posix.join(folder, cmd));
    if (place.found && place.facts.kind === 'file') return posix.join(folder, cmd);
  }
  return cmd;
}

/** A host root also shows the prefix of an interpreter that the request names by its path, unless a run put it there. */
async function rootFor(cmd: string, { host, root }: PolicyFacts, trust: Trust): Promise<Root> {
  if (root.kind !== 'host' || !cmd.startsWith('/')) return root;
  const place = await walk(host, cmd);
  if (!place.found || linkObjection(place.links, trust)) return root;
  if (trust.writable.some(folder => isWithin(place.path, folder))) return root;
  return withPrefixes(host, root, await prefixesOf(host, cmd));
}

function withSubmounts(mount: Mount, mounts: HostMount[]): Mount {
  const below = submountsOf(mounts, mount.source);
  return below ? { ...mount, below } : mount;
}

/** What the supervisor compares from inside. */
function toProof({ target, identity }: Mount): Program['mounts'][number] {
  return { ...identity!, path: target };
}
