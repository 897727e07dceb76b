import type { Identity } from '../policy/plan.js';
import { InvalidRequest } from '../sandbox/errors.js';

/** One resource limit as the kernel knows it (`RLIMIT_*` number of Linux, soft and hard value). */
export interface Rlimit {
  resource: number;
  soft: bigint;
  hard: bigint;
}

/** A program for a waiting supervisor: all that one frame carries. */
export interface Program {
  argv: string[];
  env: Array<[name: string, value: string]>;
  cwd: string;
  /** Milliseconds from the program's start to its end by force. */
  deadlineMs: number;
  /** The program reads what follows the frame on stdin; otherwise its stdin is at its end from the start. */
  stdin: boolean;
  rlimits: Rlimit[];
  /** Mounts to be compared, as paths inside, before the program starts. */
  mounts: Array<Identity & { path: string }>;
}

/** What a supervisor gets to know. */
export interface Frame extends Program {
  /** 16 bytes that make the trailers authentic. */
  nonce: Buffer;
}

const MAGIC = Buffer.from('CSBX');
const VERSION = 1;
const FLAG_STDIN = 1;
const UMASK = 0o022;
const BODY_MAX = 4 << 20;

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

function str(text: string, what: string): Buffer[] {
  // The kernel ends every string at its first NUL: what follows one would be lost in silence.
  if (text.includes('\0')) throw new InvalidRequest(`${what} contains a NUL character, which no program can be given`);
  const bytes = Buffer.from(`${text}\0`);
  return [u32(bytes.length - 1), bytes];
}

function list<T>(items: T[], encode: (item: T, index: number) => Buffer[]): Buffer[] {
  return [u32(items.length), ...items.flatMap(encode)];
}

/**
 * Encodes the frame that a waiting supervisor starts the program from (docs/protocol.md).
 * @throws InvalidRequest when a string contains NUL, or all of them together exceed 4 MiB.
 */
export function encodeFrame(frame: Frame): Buffer {
  const { argv, env, mounts, rlimits } = frame;
  const body = Buffer.concat([
    frame.nonce,
    u64(BigInt(frame.deadlineMs)),
    u32(frame.stdin ? FLAG_STDIN : 0),
    u32(UMASK),
    ...list(rlimits, ({ resource, soft, hard }) => [u32(resource), u64(soft), u64(hard)]),
    ...list(mounts, ({ device, inode, path }) => [u64(device), u64(inode), ...str(path, 'the path of a mount')]),
    ...list(argv, (argument, i) => str(argument, i === 0 ? 'the command' : `argument ${i}`)),
    ...list(env, ([name, value]) => str(`${name}=${value}`, `the environment variable ${JSON.stringify(name)}`)),
    ...str(frame.cwd, 'the working directory'),
  ]);
  if (body.length > BODY_MAX)
    throw new InvalidRequest(
      `command, environment and mounts take ${body.length} bytes; a run takes ${BODY_MAX} at most`,
    );
  return Buffer.concat([MAGIC, u32(VERSION), u32(body.length), body]);
}
