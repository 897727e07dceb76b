import { posix } from 'node:path';
import {
  CLOSED_FOLDERS,
  ENGINE_SETTINGS,
  ENGINE_STORAGE,
  HOME_SOCKETS,
  PRIVILEGED_GROUPS,
  SOCKET_VARIABLES,
  SYSTEM_FOLDERS,
  TOOL_FOLDERS,
  USER_ENGINE_SETTINGS,
  USER_ENGINE_STORAGE,
} from '../hardening/paths.js';
import type { HostView } from './host.js';
import { walk } from './walk.js';

/** Something of the host that code must not get, by its canonical path. */
export interface Hazard {
  path: string;
  /** For messages: `the system folder /usr`. */
  what: string;
  /** A policy folder may not lie in it either. */
  closed: boolean;
  /** A folder that is only read may be or cover it. */
  readable?: boolean;
}

/** What a host has that no policy folder may give away. */
export interface Hazards {
  hazards: Hazard[];
  privilegedGids: ReadonlySet<number>;
}

/** What the service knows of its host beyond the usual places. */
export interface Known {
  /** The service's environment; read for the addresses of control sockets and the XDG folders. */
  env?: NodeJS.ProcessEnv;
  /** Home of the service's user. */
  home?: string;
  /** Storage folders that engines told of. */
  storage?: readonly string[];
  /** Control sockets in use, among them the engine's own. */
  sockets?: readonly string[];
  /** Where launchers keep their files, and look for those of dead ones: code that writes there could forge them. */
  launchers?: readonly string[];
  /** What this process itself is made of: code that writes there would be what runs outside next, or as the supervisor. */
  own?: readonly string[];
}

const LAUNCHERS = 'the place of the service’s own temporary files';
const OWN = 'the folder of the sandbox’s own programs';

/** Looks up once what must not be given away; to be repeated when an engine comes or goes. */
export async function surveyHost(host: HostView, known: Known = {}): Promise<Hazards> {
  const { env = {}, home, storage = [], sockets = [], launchers = [], own = [] } = known;
  const data = env.XDG_DATA_HOME || (home && posix.join(home, '.local/share'));
  const storages = [
    ...ENGINE_STORAGE,
    ...storage,
    ...(data ? USER_ENGINE_STORAGE.map(name => posix.join(data, name)) : []),
  ];
  const config = env.XDG_CONFIG_HOME || (home && posix.join(home, '.config'));
  const settings = [...ENGINE_SETTINGS, ...(config ? USER_ENGINE_SETTINGS.map(name => posix.join(config, name)) : [])];
  const named = [...SOCKET_VARIABLES.flatMap(name => socketOf(env[name])), ...sockets];
  const atHome = home ? HOME_SOCKETS.map(name => posix.join(home, name)) : [];
  const found = await Promise.all([
    ...SYSTEM_FOLDERS.map(path => hazard(host, path, 'the system folder', isClosed(path), true)),
    ...(env.XDG_RUNTIME_DIR ? [hazard(host, env.XDG_RUNTIME_DIR, 'the runtime folder', true, true)] : []),
    ...storages.map(path => hazard(host, path, 'the storage of a container engine', true, false)),
    ...named.map(path => hazard(host, path, 'the control socket', false, true)),
    ...atHome.map(path => hazard(host, path, 'the control socket', false, false)),
  ]);
  const fixed = await Promise.all([
    ...launchers.map(path => hazard(host, path, LAUNCHERS, false, true)),
    ...TOOL_FOLDERS.map(path => hazard(host, path, 'the folder of the system’s programs', true, false)),
    ...settings.map(path => hazard(host, path, 'the settings of a container engine', true, true)),
    ...own.map(path => hazard(host, path, OWN, true, true)),
  ]);
  const hazards = [...found.flat(), ...fixed.flat().map(each => ({ ...each, readable: true }))];
  return { hazards, privilegedGids: await privilegedGids(host) };
}

function isClosed(path: string): boolean {
  return (CLOSED_FOLDERS as readonly string[]).includes(path);
}

/** Both the usual path and where it leads; one that is not there now counts where it may come at any time. */
async function hazard(host: HostView, path: string, kind: string, closed: boolean, always: boolean): Promise<Hazard[]> {
  const place = await walk(host, path);
  if (!place.found && !always) return [];
  const paths = new Set([posix.resolve(path), ...(place.found ? [place.path] : [])]);
  return [...paths].map(each => ({ path: each, what: `${kind} ${path}`, closed }));
}

/** Path of a socket in an address such as `unix:///run/x.sock`, `unix:path=/run/bus,guid=1` or `/run/x.sock`. */
function socketOf(address = ''): string[] {
  const path = /^(?:unix:(?:path=|\/\/)?)?(\/[^,;]+)/.exec(address)?.[1];
  return path ? [path] : [];
}

async function privilegedGids(host: HostView): Promise<Set<number>> {
  const groups = (await host.readText('/etc/group')).split('\n').map(line => line.split(':'));
  return new Set([0, ...groups.filter(([name]) => PRIVILEGED_GROUPS.has(name!)).map(([, , gid]) => Number(gid))]);
}
