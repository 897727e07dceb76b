import type { Readable } from 'node:stream';
import type { EngineClient } from './client.js';
import { nodeArchitecture } from './facts.js';
import { EngineFailure } from './failure.js';
import { followProgress } from './progress.js';

/** What an image would do to a container of its own accord. */
export interface ImageFacts {
  id: string;
  /** In Node's words (`x64`, `arm64`). */
  architecture: string;
  env: string[];
  /** Paths that it declares as volumes. */
  volumes: string[];
  entrypoint: string[];
  cmd: string[];
  user: string;
  workdir: string;
  /** It declares a health check, which Docker would run. */
  healthcheck: boolean;
  labels: Record<string, string>;
  /** Unpacked, all layers. */
  sizeBytes: number;
  /** Where it came from a registry: `name@sha256:…`. */
  digests: string[];
}

/** How to import an image. */
export interface ImportOptions {
  /** Name and tag to give it. */
  reference: string;
  /** Containerfile lines that set its config: `ENV`, `LABEL`, `CMD`, … */
  changes?: string[];
  /** Default 120,000. */
  deadlineMs?: number;
  signal?: AbortSignal;
}

/** Undefined when the engine has no such image; it is never pulled. */
export async function inspectImage(client: EngineClient, reference: string): Promise<ImageFacts | undefined> {
  type Inspect = {
    Id: string;
    Architecture: string;
    Size?: number;
    RepoDigests?: string[] | null;
    Config: {
      Env?: string[] | null;
      Volumes?: Record<string, unknown> | null;
      Entrypoint?: string[] | null;
      Cmd?: string[] | null;
      User?: string;
      WorkingDir?: string;
      Healthcheck?: { Test?: string[] } | null;
      Labels?: Record<string, string> | null;
    } | null;
  };
  const path = `/images/${encodeURIComponent(reference)}/json`;
  const { status, body } = await client.request<Inspect>({ path, statusCodes: [200, 404] });
  if (status === 404) return undefined;
  const config = body.Config ?? {};
  const test = config.Healthcheck?.Test ?? [];
  return {
    id: body.Id,
    architecture: nodeArchitecture(body.Architecture),
    env: config.Env ?? [],
    volumes: Object.keys(config.Volumes ?? {}),
    entrypoint: config.Entrypoint ?? [],
    cmd: config.Cmd ?? [],
    user: config.User ?? '',
    workdir: config.WorkingDir ?? '',
    healthcheck: test.length > 0 && test[0] !== 'NONE',
    labels: config.Labels ?? {},
    sizeBytes: body.Size ?? 0,
    digests: body.RepoDigests ?? [],
  };
}

/**
 * Makes an image of one layer out of a root file system, and answers its id. The stream is destroyed in the end.
 * @throws EngineFailure when the engine refuses it, or ends without an image.
 */
export async function importImage(client: EngineClient, tar: Readable, options: ImportOptions): Promise<string> {
  const { reference, changes = [], deadlineMs = 120_000, signal } = options;
  const upload = { method: 'POST', body: tar, deadlineMs, ...(signal && { signal }) } as const;
  const steps =
    client.facts.kind === 'podman'
      ? { path: '/libpod/images/import', query: { reference, changes } }
      : { path: '/images/create', query: { fromSrc: '-', ...splitReference(reference), changes } };
  await followProgress(client, { ...upload, ...steps }, `the import of ${reference}`);
  const image = await inspectImage(client, reference);
  if (!image) throw new EngineFailure(`the import of ${reference} left no image`, { status: 200 });
  return image.id;
}

/** Name and tag. A colon is part of the tag only behind the last slash: a registry's port has one too. */
export function splitReference(reference: string): { repo: string; tag: string } {
  const [, repo = reference, tag = 'latest'] = /^(.*?)(?::([^:/]+))?$/.exec(reference) ?? [];
  return { repo, tag };
}
