import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { LEAST_CPUS } from '../config/schema.js';
import type { Limits } from '../policy/plan.js';

const MiB = 1024 * 1024;

/** What a limit is when a request does not name it, and the most and least that one may name. */
export interface Range {
  default: number;
  min: number;
  max: number;
}

/** Limits that a request may name, in its own units. */
const RANGES = {
  timeoutMs: { default: 60_000, min: 100, max: 600_000 },
  memoryMB: { default: 512, min: 32, max: 8192 },
  pids: { default: 128, min: 1, max: 512 },
  outputLimitBytes: { default: 10 * MiB, min: 1024, max: 64 * MiB },
} as const satisfies Record<string, Range>;

/** The supervisor, and the threads of an OCI runtime while it starts a container, are counted with the program's own. */
const OWN_PROCESSES = 8;

export type LimitName = keyof typeof RANGES;
/** The ranges of one sandbox. */
export type Ranges = Record<LimitName, Range>;

/** What an operator may set for a limit: its default and its maximum, within the range that is built in. */
export const limitOptions = z.partialRecord(
  z.enum(Object.keys(RANGES) as [LimitName, ...LimitName[]]),
  z.strictObject({ default: z.number().positive().optional(), max: z.number().positive().optional() }),
);

/** The built-in ranges, narrowed by the operator. A default beyond the maximum is the maximum. */
export function rangesOf(options: z.output<typeof limitOptions> = {}): Ranges {
  const narrowed = Object.entries(RANGES).map(([name, range]) => {
    const own = options[name as LimitName] ?? {};
    const max = clamp(own.max ?? range.max, range);
    return [name, { min: range.min, max, default: clamp(own.default ?? range.default, { ...range, max }) }];
  });
  return Object.fromEntries(narrowed) as Ranges;
}

/** Limits as a request names them. */
export type Wanted = Partial<Record<LimitName, number>> & { cpus?: number | undefined };

/**
 * The limits of one run: what was wanted, within the ranges.
 * @param cpus The operator's own limit, 0 for none; a run that names none has that.
 * @returns with a line for each that was changed
 */
export function limitsFor(
  wanted: Wanted,
  ranges: Ranges,
  cpus: number,
): { limits: Partial<Limits>; warnings: string[] } {
  const warnings: string[] = [];
  const pick = (name: LimitName): number => {
    const asked = wanted[name] ?? ranges[name].default;
    const given = clamp(asked, ranges[name]);
    if (given !== asked) warnings.push(changed(name, asked, given));
    return given;
  };
  const share = wanted.cpus && Math.min(Math.max(wanted.cpus, LEAST_CPUS), cpus || availableParallelism());
  if (wanted.cpus !== undefined && share !== wanted.cpus) warnings.push(changed('cpus', wanted.cpus, share!));
  return {
    limits: {
      timeoutMs: pick('timeoutMs'),
      memoryBytes: pick('memoryMB') * MiB,
      pids: pick('pids') + OWN_PROCESSES,
      outputBytes: pick('outputLimitBytes'),
      ...(share === undefined ? {} : { cpus: share }),
    },
    warnings,
  };
}

function changed(name: string, asked: number, given: number): string {
  return `${name} is ${given} instead of ${asked}, its ${given < asked ? 'most' : 'least'}.`;
}

function clamp(value: number, { min, max }: Pick<Range, 'min' | 'max'>): number {
  return Math.min(Math.max(Math.round(value), min), max);
}
