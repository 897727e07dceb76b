import { readFileSync } from 'node:fs';
import { OPEN_FILES } from './container.js';
import { NO_CORE } from './rlimits.js';

/** A limit as engines name it when they create a container. */
export interface Ulimit {
  type: 'nofile' | 'nproc' | 'core';
  soft: number;
  hard: number;
}

/** The kernel counts processes by user, this service's own and other runs' among them; the cgroup counts one run's. */
const PROCESSES = 32_768;

/**
 * Explicit values for what engines would otherwise raise beyond the hard limits of a small host, where create fails.
 * @param own text of this process's /proc/self/limits; the engine's are seldom lower
 */
export function ulimitsOf(own: string): Ulimit[] {
  const hard = (name: string) =>
    Number(new RegExp(`^${name} +\\S+ +(\\d+)`, 'm').exec(own)?.[1] ?? Number.POSITIVE_INFINITY);
  const within = (type: Ulimit['type'], soft: number, most: number, name: string): Ulimit => {
    const allowed = Math.min(most, hard(name));
    return { type, soft: Math.min(soft, allowed), hard: allowed };
  };
  return [
    within('nofile', OPEN_FILES.soft, OPEN_FILES.hard, 'Max open files'),
    within('nproc', PROCESSES, PROCESSES, 'Max processes'),
    { type: 'core', soft: NO_CORE, hard: NO_CORE },
  ];
}

/** Limits of this process as the kernel writes them; empty off Linux. */
export function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
