import type { ProcessService } from '../../aalis.js';
import { BackendUnavailable } from '../../sandbox/errors.js';
import { TOOL_PLACES } from '../tool-path.js';

const VERSION_MS = 5000;

/** Runtimes that are driven, best first, and the oldest versions that are trusted with it. */
const RUNTIMES = [
  // Older ones open the sources of bind mounts as the code's own user.
  { name: 'crun', oldest: [1, 5], options: ['--cgroup-manager=disabled'], needsRoot: false },
  { name: 'runc', oldest: [1, 1], options: [], needsRoot: true },
] as const;

/** Names of the runtimes that are driven. */
export const RUNTIME_NAMES: readonly string[] = RUNTIMES.map(({ name }) => name);

/** Variables by which a service manager's own channels would reach the container through the runtime. */
export const WITHHELD = {
  NOTIFY_SOCKET: undefined,
  LISTEN_FDS: undefined,
  LISTEN_PID: undefined,
  LISTEN_FDNAMES: undefined,
};

/** A command that makes containers by the OCI runtime specification. */
export interface Runtime {
  name: string;
  version: string;
  /** It makes no user namespace in which no id is called 0. */
  needsRoot: boolean;
  /** In the foreground: its stdin, stdout and stderr are the container's, and it removes its state in the end. */
  run(state: string, bundle: string, id: string): [string, ...string[]];
  /** Ends and removes what a runtime that was killed has left. */
  remove(state: string, id: string): [string, ...string[]];
}

/**
 * @param name of {@link RUNTIME_NAMES}
 * @throws BackendUnavailable where it is missing, broken or too old
 */
export async function findRuntime(process: ProcessService, name: string): Promise<Runtime> {
  const known = RUNTIMES.find(runtime => runtime.name === name);
  if (!known) {
    throw new BackendUnavailable(
      `The OCI runtime ${name} is not driven directly, only ${RUNTIME_NAMES.join(' and ')} are; use an engine for it, or leave engine.runtime empty.`,
    );
  }
  const { stdout } = await process.execFile(name, ['--version'], { timeout: VERSION_MS }).catch(error => {
    const missing = error.code === 'ENOENT' || /ENOENT/.test(error.message);
    throw new BackendUnavailable(
      missing
        ? `${name} is not installed: it is not in ${TOOL_PLACES}; install it with your distribution’s packages.`
        : `${name} does not work: ${error.message}`,
      { cause: error },
    );
  });
  const version = /version (\d+(\.\d+)+)/.exec(stdout)?.[1] ?? '0';
  if (isOlder(version, known.oldest)) {
    throw new BackendUnavailable(
      `${name} ${version} is too old; version ${known.oldest.join('.')} or later is needed.`,
    );
  }
  return {
    name,
    version,
    needsRoot: known.needsRoot,
    run: (state, bundle, id) => [name, '--root', state, ...known.options, 'run', '--bundle', bundle, id],
    remove: (state, id) => [name, '--root', state, ...known.options, 'delete', '--force', id],
  };
}

function isOlder(version: string, [oldMajor, oldMinor]: readonly [number, number]): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldMajor || (major === oldMajor && minor < oldMinor);
}
