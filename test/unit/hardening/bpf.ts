import type { Instruction } from '../../../src/hardening/seccomp-compile.js';

/** A system call as the kernel shows it to a filter. */
export interface Call {
  number: number;
  arch: number;
  args?: number[];
}

/** What the filter answers (SECCOMP_RET_*), and over how many instructions. */
export interface Verdict {
  value: number;
  steps: number;
}

/** Runs classic BPF as the kernel does, for the instructions that the compiler may use; anything else is an error. */
export function runFilter(program: Instruction[], { number, arch, args = [] }: Call): Verdict {
  const word = (offset: number): number => {
    if (offset === 0) return number >>> 0;
    if (offset === 4) return arch;
    const argument = BigInt.asUintN(64, BigInt(args[(offset - 16) >> 3] ?? 0));
    return Number((offset & 4) === 0 ? argument & 0xffff_ffffn : argument >> 32n);
  };
  let accumulator = 0;
  let steps = 0;
  for (let at = 0; ; at++) {
    const [code, jumpTrue, jumpFalse, operand] = program[at]!;
    steps++;
    if (code === 0x06) return { value: operand, steps };
    if (code === 0x20) accumulator = word(operand);
    else if (code === 0x15) at += accumulator === operand ? jumpTrue : jumpFalse;
    else if (code === 0x35) at += accumulator >= operand ? jumpTrue : jumpFalse;
    else if (code === 0x45) at += (accumulator & operand) !== 0 ? jumpTrue : jumpFalse;
    else throw new Error(`instruction ${at} has the unknown operation ${code}`);
  }
}

/** Instructions on the longest way to a verdict that lets a call pass, whether or not arguments lead there. */
export function longestPass(program: Instruction[], at = 0): number {
  const [code, jumpTrue, jumpFalse, operand] = program[at]!;
  if (code === 0x06) return operand === 0x7fff0000 ? 1 : Number.NEGATIVE_INFINITY;
  const next = code === 0x20 ? [0] : [jumpTrue, jumpFalse];
  return 1 + Math.max(...next.map(jump => longestPass(program, at + 1 + jump)));
}
