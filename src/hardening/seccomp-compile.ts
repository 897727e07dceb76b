import { type Action, ERRNO, type Profile, type Rule, type Test } from './seccomp-rule.js';

/** One instruction of classic BPF: operation, jump offsets, operand. */
export type Instruction = [code: number, jumpTrue: number, jumpFalse: number, operand: number];

/** AUDIT_ARCH_* of linux/audit.h: how the kernel names an architecture to a filter. */
export const AUDIT_ARCH = { x64: 0xc000_003e, arm64: 0xc000_00b7 } as const;

export type Architecture = keyof typeof AUDIT_ARCH;

// linux/bpf_common.h; every load is a 32-bit word of struct seccomp_data.
const LOAD = 0x20;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const JUMP_IF_ANY_BIT = 0x45;
const RETURN = 0x06;
const NUMBER_OFFSET = 0;
const ARCH_OFFSET = 4;
const argumentOffset = (arg: number): number => 16 + 8 * arg; // little endian: the low half comes first

const RETURN_KILL_PROCESS = 0x8000_0000;
const RETURN_ERRNO = 0x0005_0000;
const RETURN_ALLOW = 0x7fff_0000;

type Treatment = Action | Rule;

/** All calls from `from` up to the next span's are treated alike. */
interface Span {
  from: number;
  treatment: Treatment;
}

const returns = (action: Action): Instruction => [
  RETURN,
  0,
  0,
  action === 'allow' ? RETURN_ALLOW : RETURN_ERRNO | ERRNO[action],
];

function test(condition: Test, toNextCase: number): Instruction[] {
  const load: Instruction = [LOAD, 0, 0, argumentOffset(condition.arg)];
  return 'any' in condition
    ? [load, [JUMP_IF_ANY_BIT, 0, toNextCase, condition.any]]
    : [load, [JUMP_IF_EQUAL, 0, toNextCase, condition.equals]];
}

function leaf(treatment: Treatment): Instruction[] {
  if (typeof treatment === 'string') return [returns(treatment)];
  const cases = treatment.cases.flatMap(({ when, answer }) => [
    ...when.flatMap((condition, i) => test(condition, 2 * (when.length - 1 - i) + 1)),
    returns(answer),
  ]);
  return [...cases, returns(treatment.otherwise)];
}

/** Balanced search: the lower half follows its node, the upper half is jumped to. */
function tree(spans: Span[]): Instruction[] {
  if (spans.length === 1) return leaf(spans[0]!.treatment);
  const middle = spans.length >> 1;
  const lower = tree(spans.slice(0, middle));
  if (lower.length > 255) throw new RangeError(`a jump over ${lower.length} instructions does not fit into 8 bits`);
  return [[JUMP_IF_AT_LEAST, lower.length, 0, spans[middle]!.from], ...lower, ...tree(spans.slice(middle))];
}

function spansOf(profile: Profile, numbers: ReadonlyMap<string, number>): Span[] {
  const treatments = new Map<string, Treatment>([
    ...profile.allowed.map(name => [name, 'allow'] as const),
    ...profile.refused.flatMap(({ calls, answer }) => calls.map(name => [name, answer] as const)),
    ...profile.rules.flatMap(rule => rule.calls.map(name => [name, rule] as const)),
  ]);
  const byNumber = new Map([...numbers].map(([name, number]) => [number, treatments.get(name)]));
  const spans: Span[] = [];
  for (let number = 0; number <= Math.max(...numbers.values()) + 1; number++) {
    const treatment = byNumber.get(number) ?? 'ENOSYS';
    if (spans.at(-1)?.treatment !== treatment) spans.push({ from: number, treatment });
  }
  return spans;
}

/**
 * Compiles a profile for one architecture, whose calls have these numbers. Calls of any other architecture kill the
 * process; numbers past the table (x32's among them) answer ENOSYS.
 */
export function compile(
  profile: Profile,
  architecture: Architecture,
  numbers: ReadonlyMap<string, number>,
): Instruction[] {
  return [
    [LOAD, 0, 0, ARCH_OFFSET],
    [JUMP_IF_EQUAL, 1, 0, AUDIT_ARCH[architecture]],
    [RETURN, 0, 0, RETURN_KILL_PROCESS],
    [LOAD, 0, 0, NUMBER_OFFSET],
    ...tree(spansOf(profile, numbers)),
  ];
}
