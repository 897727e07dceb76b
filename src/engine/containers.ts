import { setTimeout as sleep } from 'node:timers/promises';
import type { EngineClient } from './client.js';
import { EngineFailure } from './failure.js';

/** A container as a list shows it. */
export interface ContainerSummary {
  id: string;
  names: string[];
  labels: Record<string, string>;
}

/** What the engine knows about one container. */
export interface ContainerState {
  id: string;
  status: string;
  running: boolean;
  /** Of its first process, on the engine's host; 0 when none runs. */
  pid: number;
  exitCode: number;
  /** Docker says so too when only a child died; Podman 4 never does. */
  oomKilled: boolean;
  /** Image id. */
  image: string;
  labels: Record<string, string>;
}

/** For starting and removing: sixteen at once on a busy machine make Docker take more than 10 s. */
const BUSY_MS = 30_000;
/** Removing can meet the engine's own clean-up, which takes seconds on a busy machine. */
const REMOVE_MS = 10_000;
const RETRY_MS = 50;

/** Containers in any state that carry every one of the labels (`name` or `name=value`). */
export async function listContainers(client: EngineClient, labels: string[]): Promise<ContainerSummary[]> {
  type Row = { Id: string; Names: string[]; Labels: Record<string, string> | null };
  // One container that Podman half lost (it was killed at the wrong moment) makes its Docker-compatible list fail for ever.
  const path = client.facts.kind === 'podman' ? '/libpod/containers/json' : '/containers/json';
  const { body } = await client.request<Row[]>({ path, query: { all: true, filters: { label: labels } } });
  return body.map(row => ({
    id: row.Id,
    names: row.Names.map(name => name.replace(/^\//, '')),
    labels: row.Labels ?? {},
  }));
}

/** Undefined when there is no such container. */
export async function inspectContainer(client: EngineClient, id: string): Promise<ContainerState | undefined> {
  type Inspect = {
    Id: string;
    Image: string;
    State: { Status: string; Running: boolean; Pid: number; ExitCode: number; OOMKilled: boolean };
    Config: { Labels: Record<string, string> | null };
  };
  const answer = await client.request<Inspect>({ path: `/containers/${id}/json` }).catch(orGone);
  if (!answer) return undefined;
  const { body } = answer;
  return {
    id: body.Id,
    status: body.State.Status,
    running: body.State.Running,
    pid: body.State.Pid,
    exitCode: body.State.ExitCode,
    oomKilled: body.State.OOMKilled,
    image: body.Image,
    labels: body.Config.Labels ?? {},
  };
}

/** Resolves as well when the container runs already. */
export async function startContainer(client: EngineClient, id: string, signal?: AbortSignal): Promise<void> {
  const path = `/containers/${id}/start`;
  await client.request({ method: 'POST', path, deadlineMs: BUSY_MS, ...(signal ? { signal } : {}) });
}

/** Sends a signal; resolves as well when the container has ended or is gone. */
export async function killContainer(client: EngineClient, id: string, signal = 'KILL'): Promise<void> {
  try {
    await client.request({ method: 'POST', path: `/containers/${id}/kill`, query: { signal } }).catch(orGone);
  } catch (error) {
    // "Not running" is status 409 on Docker and 500 on Podman, where it can also mean that something is wrong.
    if (!isConflict(error) || (await inspectContainer(client, id))?.running) throw error;
  }
}

/**
 * Ends what runs and removes the container with its anonymous volumes. Idempotent.
 * @param patienceMs how long an engine may be busy with it
 */
export async function removeContainer(client: EngineClient, id: string, patienceMs = REMOVE_MS): Promise<void> {
  const podman = client.facts.kind === 'podman';
  // Podman waits 10 s for a program that ignores SIGTERM, unless its native API is told not to; that one says `volumes`.
  const path = `${podman ? '/libpod' : ''}/containers/${id}`;
  const query = podman ? { force: true, volumes: true, timeout: 0 } : { force: true, v: true };
  const giveUp = performance.now() + patienceMs;
  for (let pause = RETRY_MS; ; pause = Math.min(2 * pause, 1000)) {
    try {
      await client.request({ method: 'DELETE', path, query, deadlineMs: BUSY_MS }).catch(orGone);
      return;
    } catch (error) {
      // 409 "removal in progress" (Docker), 500 "container state improper" (Podman's clean-up is at work).
      if (!isConflict(error) || performance.now() > giveUp) throw error;
      await sleep(pause);
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof EngineFailure && (error.status === 409 || error.status === 500);
}

/** A container that is not there is no failure. In a race with its removal Podman says so with status 500. */
function orGone(error: unknown): undefined {
  const gone = error instanceof EngineFailure && (error.status === 404 || /no such container/i.test(error.message));
  if (!gone) throw error;
}
