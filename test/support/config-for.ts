import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../src/config/schema.js';
import type { BackendName } from '../../src/sandbox/backend.js';

/** A real backend that the suites run against. */
export interface Target {
  /** `docker`, `podman`, `rootless`, `oci` or `bwrap`. */
  name: string;
  kind: BackendName;
  /** Of an engine. */
  socket?: string;
  /** It cannot enforce memory and pids here (an ordinary user on cgroup v1). */
  weak: boolean;
  /** `uid:gid` that code runs as where the tests are root's; default: by the folder, for which the probe tries two users. */
  runAs?: string;
  /** Options of the command line that choose it. */
  cli: string[];
}

/** A probe takes one second or two; suites side by side on few processors make it slow, which is no fault. */
export const PATIENT_MS = 60_000;

/** The environment, and what `make engines` wrote. */
export const settings = { ...fromFile(), ...process.env };
/**
 * The configuration that goes to a target and to no other, with weak guarantees allowed where it is weak. Its root is the
 * host's, whatever images an engine happens to have, unless a test says otherwise, or ROOT_IMAGE in the environment names one.
 * WARM_MAX says how many sandboxes wait, where a test does not.
 */
export function configFor({ kind, socket, weak, runAs }: Target, more: ConfigInput = {}): ConfigInput {
  const named = kind === 'docker' || kind === 'podman' ? { engine: kind } : {};
  const engine = { ...named, ...(socket ? { socket } : {}), allowDegraded: weak, ...more.engine };
  const given = settings.ROOT_IMAGE === undefined ? { rootfs: 'host' as const } : { image: settings.ROOT_IMAGE };
  const root = { ...given, ...more.root };
  const warm = settings.WARM_MAX === undefined ? {} : { warm: { max: Number(settings.WARM_MAX) } };
  const limits = { probeMs: PATIENT_MS, ...more.limits };
  const safety = { ...(runAs ? { runAs } : {}), ...more.safety };
  return { order: socket ? 'engine' : kind === 'oci' ? 'oci' : 'os', ...warm, ...more, engine, root, limits, safety };
}

function fromFile(): Record<string, string> {
  const file = fileURLToPath(new URL('../../.engines/env', import.meta.url));
  if (!existsSync(file)) return {};
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return Object.fromEntries(lines.map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
