import type { Readable } from 'node:stream';
import type { EngineClient } from './client.js';
import { followProgress, type Progress } from './progress.js';

const HOUR = 3_600_000;

/** What a build takes. */
export interface BuildCall {
  /** A tar archive: the Containerfile and what it copies. Destroyed in the end. */
  context: Readable;
  /** Path of the Containerfile in the context. */
  containerfile: string;
  /** Name and tag that the image gets when all steps succeeded. */
  reference: string;
  args: Record<string, string>;
  labels: Record<string, string>;
  /** Of the steps: the engine host's own, or none at all. */
  network: 'host' | 'none';
  /** Takes nothing from earlier builds. */
  noCache: boolean;
  onEvent: (event: Progress) => void;
  signal?: AbortSignal;
}

/** @throws EngineFailure when a step fails; its output went to `onEvent`. Nothing is tagged then. */
export async function buildImage(client: EngineClient, build: BuildCall): Promise<void> {
  const { context, containerfile, reference, args, labels, network, noCache, onEvent, signal } = build;
  const query = {
    dockerfile: containerfile,
    t: reference,
    buildargs: args,
    labels,
    networkmode: network,
    nocache: noCache,
    rm: true,
    forcerm: true,
  };
  const call = {
    method: 'POST',
    path: '/build',
    query,
    body: context,
    deadlineMs: HOUR,
    ...(signal && { signal }),
  } as const;
  await followProgress(client, call, `the build of ${reference}`, onEvent);
}
