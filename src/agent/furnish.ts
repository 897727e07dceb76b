import type { PreparedRun } from '../policy/prepare.js';
import type { Backend } from '../sandbox/backend.js';
import { type RunDir, SCRATCH, WORKSPACE } from './run-dir.js';

/** Whether a backend shows folders under names of their own; the others show the host's. */
export function hasOwnPaths({ name }: Pick<Backend, 'name'>): boolean {
  return name !== 'seatbelt';
}

/** Gives a checked run its scratch folder, and the variables that tell where things are. */
export async function furnish(
  prepared: PreparedRun,
  backend: Pick<Backend, 'name'>,
  dir: RunDir,
  workspace: string,
): Promise<PreparedRun> {
  const { plan, program } = prepared;
  const own = hasOwnPaths(backend);
  await dir.open(plan.user);
  const mount = await dir.mount(own ? SCRATCH : dir.scratch);
  const proof = { ...mount.identity!, path: mount.target };
  return {
    ...prepared,
    plan: { ...plan, mounts: [...plan.mounts, mount] },
    program: {
      ...program,
      env: withPlaces(program.env, own ? WORKSPACE : workspace, mount.target),
      mounts: [...program.mounts, proof],
    },
  };
}

/** The sandbox's own word about places stands, whatever the request says. */
export function withPlaces(
  env: ReadonlyArray<[name: string, value: string]>,
  workspace: string,
  scratch: string,
): Array<[name: string, value: string]> {
  const places = { HOME: scratch, TMPDIR: `${scratch}/tmp`, SCRATCH: scratch, WORKSPACE: workspace };
  return [...env.filter(([name]) => !(name in places)), ...Object.entries(places)];
}
