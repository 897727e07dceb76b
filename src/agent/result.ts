import { GUARANTEE, type ProbeReport } from '../probe/report.js';
import type { RunResult } from '../sandbox/result.js';
import type { Artifact, Omission } from './artifacts.js';
import type { Access } from './request.js';

/** What an agent gets of a run, whatever became of its program. */
export interface AgentResult extends RunResult {
  id: string;
  access: Access;
  /** Whether the kernel holds the whole run to its memory limit, and how that is known. */
  memoryLimit: 'cgroup' | 'none';
  memoryLimitReason: string;
  /** What the run left in `/scratch/artifacts`, as it was kept; also of a run that failed. */
  artifacts: Artifact[];
  /** What it left there and was not kept. */
  omitted: Omission[];
  /** What was decided that the caller may not expect: limits that were changed, dangerous access, a broken callback. */
  warnings: string[];
  /** Why the run could not be written to the audit file; missing when it was. */
  auditError?: string;
}

type MemoryLimit = Pick<AgentResult, 'memoryLimit' | 'memoryLimitReason'>;

/** Of a direct run. */
export const NO_MEMORY_LIMIT: MemoryLimit = {
  memoryLimit: 'none',
  memoryLimitReason: 'the program ran directly on the host',
};

/** What the probe found out about the memory limit, on the backend that the run was given. */
export function memoryLimitOf(report: ProbeReport | undefined): MemoryLimit {
  const memory = report?.guarantees.find(({ id }) => id === GUARANTEE.memory);
  if (!memory) return { memoryLimit: 'none', memoryLimitReason: 'the run ended before it was given a sandbox' };
  return {
    memoryLimit: memory.status === 'enforced' ? 'cgroup' : 'none',
    memoryLimitReason: memory.evidence.join('; '),
  };
}
