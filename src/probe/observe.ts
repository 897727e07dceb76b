import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxRunRequest } from '../aalis.js';
import type { Limits, Plan } from '../policy/plan.js';
import type { PreparedRun } from '../policy/prepare.js';
import type { Backend } from '../sandbox/backend.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { acceptedRequests } from './accepted.js';
import { attempt, type Trial } from './attempt.js';
import type { ExpectedMount } from './expect.js';
import { parseFacts } from './facts.js';
import { explainEnding } from './failure.js';
import { STAND_IN } from './forbidden.js';
import { Listeners } from './listeners.js';
import { type Neighbour, openNeighbour } from './neighbour.js';
import type { Lingering, Observation } from './observation.js';
import { CONTROL_SOCKETS } from './sockets.js';
import { Stage } from './stage.js';
import { hostTraces } from './traces.js';
import type { UnderWay } from './under-way.js';

const MIB = 1024 * 1024;
/** Small, so that reaching every limit takes no time; the rest is as in real runs. */
const LIMITS = { memoryBytes: 64 * MIB, pids: 64, tmpBytes: 8 * MIB, shmBytes: 4 * MIB, fileBytes: 32 * MIB };
/** Beyond the limit and as much swap again. */
const TOUCH = 3 * LIMITS.memoryBytes;
const FORKS = LIMITS.pids + 50;
const LINGER_MS = 250;
/** Where the first time was not enough for the stray grandchild to begin, on a busy host. */
const LONG_LINGER_MS = 2000;
/** The stray grandchild writes every 5 ms. */
const SILENCE_MS = 40;

/** What the probe needs to know. */
export interface ProbeInput {
  backend: Backend & { expectedMounts(plan: Plan): ExpectedMount[] };
  /** Prepares a request as every run's is, but with these limits. @throws InvalidRequest */
  prepare(request: SandboxRunRequest, limits: Partial<Limits>): Promise<PreparedRun>;
  network?: 'deny' | 'allow';
  /** Sockets of this host that must not be reachable, beyond the usual ones: the engine's own, agents. */
  controlSockets: string[];
  /** Soft guarantees (6, 7, 12) that are not kept are degraded, not failed. */
  allowDegraded: boolean;
  /** Who the probe's folders shall belong to, where this process is root. */
  owner?: { uid: number; gid: number };
  /** Folder for the probe's own folders; default: the system's for temporary files. */
  tempRoot?: string;
  signal?: AbortSignal;
  /** Milliseconds for everything. */
  deadlineMs: number;
}

/**
 * Runs the probe in two sandboxes at once, one for the attempts and one for a program that refuses to end (and beside a
 * third where there is a network in which they might meet), hands the policy what it must refuse, and gathers what was seen.
 * @throws BackendUnavailable when the probe did not come to its end
 */
export async function observe(input: ProbeInput, signal: AbortSignal, underWay: UnderWay): Promise<Observation> {
  const trial = { backend: input.backend, signal, underWay };
  await using stage = await Stage.set(input.tempRoot, input.owner);
  await using listeners = await Listeners.open(stage.folder, input.network === 'allow');
  const sockets = new Set([...CONTROL_SOCKETS, ...input.controlSockets]);
  const before = await stage.readOnly();
  const targets = [...listeners.targets, ...[...sockets].map(path => `path=${path}`)];
  // All are waited for even when one fails, so that the stage is not taken from under the others.
  const [tried, linger, accepted] = await Promise.allSettled([
    tryEverything(input, stage, targets, trial),
    refuseToEnd(input, stage, trial, LINGER_MS).then(seen =>
      seen.beats > 0 ? seen : refuseToEnd(input, stage, trial, LONG_LINGER_MS),
    ),
    acceptedRequests(input, stage.ro),
  ]);
  const { traces, ...lingering } = settledValue(linger);
  const { answer, neighbour, ...rest } = settledValue(tried);
  const host = {
    nonces: stage.nonces,
    readOnly: { before, after: await stage.readOnly() },
    bits: await stage.bits(),
    linger: lingering,
    traces,
    loopbackMet: listeners.loopbackMet,
    accepted: settledValue(accepted),
    ...(answer ? { answer } : {}),
    ...(neighbour ? { neighbour, networkFlaw: input.backend.networkFlaw } : {}),
  };
  return { ...rest, host };
}

async function neighbourOf(input: ProbeInput, stage: Stage, trial: Trial): Promise<Neighbour | undefined> {
  if (input.network !== 'allow') return undefined;
  const prepared = await input.prepare(requestFor(input, stage.ro, stage.linger, input.deadlineMs), LIMITS);
  return openNeighbour(trial, prepared, input.deadlineMs);
}

async function tryEverything(input: ProbeInput, stage: Stage, targets: string[], trial: Trial) {
  await using neighbour = await neighbourOf(input, stage, trial);
  const prepared = await input.prepare(requestFor(input, stage.ro, stage.rw, input.deadlineMs), LIMITS);
  try {
    const { plan, program } = prepared;
    const mounts = input.backend.expectedMounts(plan);
    const fills = mounts.flatMap(({ target, maxBytes }) => (maxBytes ? [`fill=${maxBytes + MIB}:${target}`] : []));
    const args = [
      ...[`ro=${stage.ro}`, `rw=${stage.rw}`, `bits=${stage.rw}`],
      ...(neighbour ? [`neighbour=${neighbour.address}`] : []),
      ...[...targets, ...fills],
      ...[`grow=${LIMITS.fileBytes + 1}:${stage.rw}`, `forks=${FORKS}`, `memory=${TOUCH}`],
    ];
    const { output, complaint, ending } = await attempt('the attempts', trial, prepared, args);
    const facts = parseFacts(output);
    if (!facts.complete) throw new BackendUnavailable(explainEnding(ending, complaint));
    return { facts, plan, program, mounts, answer: await stage.answer(), neighbour: neighbour?.seen() };
  } finally {
    await prepared.release();
  }
}

async function refuseToEnd(
  input: ProbeInput,
  stage: Stage,
  trial: Trial,
  deadlineMs: number,
): Promise<Lingering & { traces: string[] }> {
  const secret = randomBytes(16).toString('hex');
  const request = { ...requestFor(input, stage.ro, stage.linger, deadlineMs), env: { PROBE_SECRET: secret } };
  const prepared = await input.prepare(request, LIMITS);
  try {
    const args = [`linger=${stage.linger}`, `secret=${secret}`];
    const running = attempt('what refuses to end', trial, prepared, args);
    const traced = tracesDuring(running, stage, secret, trial.signal);
    const [traces, { ending, elapsedMs }] = await Promise.all([traced, running]);
    const beats = await stage.beats();
    await sleep(SILENCE_MS);
    return { ending, elapsedMs, deadlineMs, beats, beatsAfter: (await stage.beats()) - beats, traces };
  } finally {
    await prepared.release();
  }
}

/** Looks through the host's processes once the program is at work. */
async function tracesDuring(
  running: Promise<unknown>,
  stage: Stage,
  secret: string,
  signal: AbortSignal,
): Promise<string[]> {
  let over = false;
  const end = () => {
    over = true;
  };
  running.then(end, end);
  signal.addEventListener('abort', end);
  while (!over && (await stage.beats()) === 0) await sleep(10);
  return hostTraces(secret);
}

function requestFor({ network = 'deny' }: ProbeInput, ro: string, rw: string, timeout: number): SandboxRunRequest {
  return { cmd: STAND_IN, args: [], timeout, policy: { fsRead: [ro], fsWrite: [rw], network } };
}

function settledValue<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
