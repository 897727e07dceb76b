import type { BackendName } from '../sandbox/backend.js';

/** Ids of guarantees that are asked for by name. */
export const GUARANTEE = { network: 2, memory: 6 } as const;

/** `degraded`: not kept, but a soft guarantee of an operator who allows that. */
export type GuaranteeStatus = 'enforced' | 'degraded' | 'failed';

/** One of the thirteen guarantees, as the probe found it. */
export interface Guarantee {
  id: number;
  title: string;
  status: GuaranteeStatus;
  /** What was tried and what came of it; what breaks it comes first. */
  evidence: string[];
  /** What the operator can do, where it is not enforced. */
  advice?: string;
}

/** What the probe found out about a backend. */
export interface ProbeReport {
  backend: BackendName;
  /** By id; empty where the probe could not run. */
  guarantees: Guarantee[];
  /** Interpreters and tools found in PATH inside. */
  interpreters: string[];
  /** Where those came from: `host`, or the id of an image. */
  root?: string;
  /** No guarantee failed. */
  ok: boolean;
  /** At least one guarantee is degraded, none failed. */
  degraded: boolean;
  durationMs: number;
  /** Why it is not ok, in a sentence or a few. */
  reason?: string;
}
