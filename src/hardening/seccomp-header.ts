import { type Architecture, compile, type Instruction } from './seccomp-compile.js';
import { profile } from './seccomp-profile.js';
import type { Profile } from './seccomp-rule.js';

/** Reads a table of system calls: a name and a number per line. */
export function parseNumbers(table: string): Map<string, number> {
  const lines = table.trim().split('\n');
  return new Map(lines.map(line => line.split(' ') as [string, string]).map(([name, n]) => [name, Number(n)]));
}

const initializer = (instruction: Instruction): string =>
  `    {${instruction.map(number => `0x${number.toString(16)}`).join(', ')}},`;

/** The profile as the C header that the supervisor is built with; another one only for tests. */
export function seccompHeader(architecture: Architecture, table: string, filter: Profile = profile): string {
  const instructions = compile(filter, architecture, parseNumbers(table));
  return [
    '/* Made from src/hardening/seccomp-profile.ts by `make -C init seccomp`; not to be edited. */',
    '#define SECCOMP_FILTER \\',
    instructions.map(initializer).join(' \\\n'),
    '',
  ].join('\n');
}
