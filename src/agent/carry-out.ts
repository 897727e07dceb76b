import { limitsOf } from '../config/limits.js';
import type { Config } from '../config/schema.js';
import type { Limits } from '../policy/plan.js';
import type { PreparedRun } from '../policy/prepare.js';
import type { ProbeReport } from '../probe/report.js';
import { RunFailed } from '../sandbox/errors.js';
import { execute, type RunOptions } from '../sandbox/execute.js';
import type { RunQueue } from '../sandbox/queue.js';
import { aborted, type RunResult } from '../sandbox/result.js';
import type { CodeSandbox } from '../sandbox/service.js';
import { DirectProcess } from './direct.js';
import { furnish, hasOwnPaths, withPlaces } from './furnish.js';
import type { LiveRun } from './live-run.js';
import type { CheckedAgentRequest } from './request.js';
import { type RunDir, WORKSPACE } from './run-dir.js';

/** One accepted run: all that carrying it out takes. */
export interface Task {
  request: CheckedAgentRequest;
  run: LiveRun;
  dir: RunDir;
  limits: Partial<Limits>;
  options: RunOptions & { signal: AbortSignal };
  /** Goes to the result. */
  warnings: string[];
  /** What is proven of the backend that the run was given; missing as long as it has none. */
  report?: ProbeReport | undefined;
  /** Called when the program runs. */
  started(): void;
}

/** In a sandbox, by the way of every other run. */
export async function runSandboxed(sandbox: CodeSandbox, protect: boolean, task: Task): Promise<RunResult> {
  const { request, run, dir, limits, options, warnings } = task;
  const { command, argv, workspaceDir, cwd, env, access, network, image, runtime } = request;
  const writable = access === 'workspace-write';
  const policy = { fsRead: writable ? [] : [workspaceDir], fsWrite: writable ? [workspaceDir] : [], network };
  let backend = '';
  return sandbox.runTailored(
    { cmd: command, args: argv, cwd, policy, ...(env ? { env } : {}) },
    {
      ...options,
      onStart: opened => {
        run.began(backend, opened);
        task.started();
      },
    },
    {
      limits,
      protect,
      ...(image === undefined ? {} : { image }),
      ...(runtime === undefined ? {} : { runtime }),
      places: chosen => (hasOwnPaths(chosen) ? { [workspaceDir]: WORKSPACE } : {}),
      furnish: (prepared, lease) => {
        backend = lease.backend.name;
        task.report = lease.report;
        warnings.push(...prepared.warnings);
        return furnish(prepared, lease.backend, dir, workspaceDir);
      },
    },
  );
}

/** On the host itself, with nothing in between. */
export async function runDirectly(queue: RunQueue, config: Config, task: Task): Promise<RunResult> {
  const { run, dir, request, options } = task;
  const name = 'direct';
  try {
    return await queue.add(async () => {
      const prepared = await prepareDirect(config, task);
      await dir.open(prepared.plan.user);
      const sandbox = new DirectProcess(run.id);
      const onStart = () => {
        run.began(name, sandbox);
        task.started();
      };
      const backend = { name, open: async () => sandbox };
      const { command } = request;
      return execute(backend, { prepared, command, known: [], options: { ...options, onStart } }, each => {
        void each.close();
      });
    }, options.signal);
  } catch (error) {
    if (options.signal.aborted && !(error instanceof RunFailed)) throw aborted(name);
    throw error;
  }
}

async function prepareDirect(config: Config, { request, dir, limits }: Task): Promise<PreparedRun> {
  const { command, argv, workspaceDir, cwd, env = {} } = request;
  const given = Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const own: Array<[string, string]> = [
    ['PATH', process.env.PATH ?? ''],
    ['LANG', 'C.UTF-8'],
  ];
  const all = { ...limitsOf(config), ...limits };
  return {
    plan: {
      // For the watch over the disk's free space.
      mounts: [workspaceDir, dir.scratch].map(path => ({ source: path, target: path, mode: 'rw' })),
      network: 'allow',
      user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0, groups: [] },
      limits: all,
      root: { kind: 'host', name: 'host', mounts: [], path: [], env: {} },
    },
    program: {
      argv: [command, ...argv],
      env: withPlaces([...own.filter(([name]) => !(name in env)), ...given], workspaceDir, dir.scratch),
      cwd,
      deadlineMs: all.timeoutMs,
      stdin: false,
      rlimits: [],
      mounts: [],
    },
    warnings: [],
    planted: async () => [],
    release: async () => {},
  };
}
