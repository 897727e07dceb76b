import { randomBytes } from 'node:crypto';
import { BackendUnavailable } from '../sandbox/errors.js';

/** What ended the program, in the supervisor's words. */
export type TrailerKind =
  | 'exited'
  | 'deadline'
  | 'owner-gone'
  | 'exec-failed'
  | 'bad-frame'
  | 'mount-mismatch'
  | 'setup-failed';

/** The supervisor's closing word about a run. */
export interface Trailer {
  kind: TrailerKind;
  /** Exit code of the program, when it exited by itself. */
  code: number | null;
  /** Signal number that ended the program, else null. */
  signal: number | null;
  /** Kernel's errno where a step failed, else 0. */
  errno: number;
  /** Which step (`setup-failed`, `bad-frame`) or which mount (`mount-mismatch`, index into the frame's list). */
  detail: number;
  /** Out-of-memory kills in the sandbox's cgroup since the frame arrived; null when the kernel does not tell. */
  oomKills: number | null;
  peakMemoryBytes: number | null;
  userMicros: number;
  systemMicros: number;
  /** From fork to end, in microseconds. */
  wallMicros: number;
}

/** Bytes of a trailer, its nonce included. */
export const TRAILER_SIZE = 80;

const NONCE_SIZE = 16;
/**
 * With this every nonce begins, since an end of the output that could be the beginning of one is held back until more comes:
 * a program that waits for an answer to a line would wait for ever. It occurs in no UTF-8 (nor in MessagePack).
 */
const NEVER_TEXT = 0xc1;

/** What no program can guess. */
export function newNonce(): Buffer {
  return Buffer.concat([Buffer.of(NEVER_TEXT), randomBytes(NONCE_SIZE - 1)]);
}

const VERSION = 1;
const KINDS: TrailerKind[] = [
  'exited',
  'deadline',
  'owner-gone',
  'exec-failed',
  'bad-frame',
  'mount-mismatch',
  'setup-failed',
];
/** Kinds that tell of a program which ran. */
const RAN = new Set<TrailerKind>(['exited', 'deadline', 'owner-gone']);
const FLAG_OOM_KILLS = 1;
const FLAG_PEAK_MEMORY = 2;

/** What `detail` of a `setup-failed` names, for messages; by number. */
export const SETUP_STEPS = [
  'nothing',
  'fork',
  'a session of its own',
  'stdin',
  'resource limits',
  'dropping capabilities',
  'the working directory',
  'signals',
  'no-new-privileges',
  'the seccomp filter',
  'exec',
] as const;

/** What `detail` of a `bad-frame` names, likewise. */
export const FRAME_PARTS = [
  'nothing',
  'the nonce',
  'the deadline',
  'the flags',
  'the umask',
  'the resource limits',
  'the mounts',
  'the arguments',
  'the environment',
  'the working directory',
  'its end',
] as const;

/**
 * Decodes one trailer, nonce included (docs/protocol.md).
 * @throws BackendUnavailable when it is not one that this package's supervisor writes.
 */
export function decodeTrailer(bytes: Buffer): Trailer {
  const [version, number] = bytes.length === TRAILER_SIZE ? [bytes.readUInt32LE(16), bytes.readUInt32LE(20)] : [];
  const kind = version === VERSION ? KINDS[number!] : undefined;
  if (kind === undefined) {
    throw new BackendUnavailable(
      `The supervisor in the sandbox is not of this version: its closing word is of version ${version} and kind ${number}, and version ${VERSION} with kinds 0 to ${KINDS.length - 1} is expected. The files of this package do not belong together: install it anew and restart what uses it.`,
    );
  }

  const u64 = (offset: number): number => Number(bytes.readBigUInt64LE(offset));
  const status = bytes.readUInt32LE(24);
  const flags = bytes.readUInt32LE(36);
  const signal = status & 0x7f;
  return {
    kind,
    code: kind === 'exited' && signal === 0 ? (status >> 8) & 0xff : null,
    signal: RAN.has(kind) && signal !== 0 ? signal : null,
    errno: bytes.readUInt32LE(28),
    detail: bytes.readUInt32LE(32),
    oomKills: flags & FLAG_OOM_KILLS ? u64(40) : null,
    peakMemoryBytes: flags & FLAG_PEAK_MEMORY ? u64(48) : null,
    userMicros: u64(56),
    systemMicros: u64(64),
    wallMicros: u64(72),
  };
}

/**
 * Parts one stream of a sandbox into the program's output and the supervisor's trailer. Output goes on at once; only an
 * end that could be the beginning of the nonce is held back.
 */
export class TrailerSplitter {
  readonly #nonce: Buffer;
  readonly #onData: (chunk: Buffer) => void;
  /** How many bytes of the nonce the output so far ends with; they are equal to it, so they need no copy. */
  #held = 0;
  /** The trailer as far as it has come; missing until the nonce is met. */
  #trailerBytes: Buffer | undefined;
  #trailer: Trailer | undefined;

  constructor(nonce: Buffer, onData: (chunk: Buffer) => void) {
    this.#nonce = nonce;
    this.#onData = onData;
  }

  /** The supervisor's closing word, once it has come whole. */
  get trailer(): Trailer | undefined {
    return this.#trailer;
  }

  /**
   * Takes the next bytes of the stream. What follows a whole trailer is dropped: nothing of the program is alive then.
   * @throws BackendUnavailable when the trailer is not of this version.
   */
  push(chunk: Buffer): void {
    if (this.#trailerBytes) {
      this.#collect(chunk);
      return;
    }
    const bytes = this.#held === 0 ? chunk : Buffer.concat([this.#nonce.subarray(0, this.#held), chunk]);
    const start = bytes.indexOf(this.#nonce);
    this.#held = start === -1 ? this.#overlap(bytes) : 0;
    this.#emit(bytes.subarray(0, start === -1 ? bytes.length - this.#held : start));
    if (start === -1) return;
    this.#trailerBytes = Buffer.alloc(0);
    this.#collect(bytes.subarray(start));
  }

  /** The stream has ended: what was held back was the program's own. */
  end(): void {
    this.#emit(Buffer.from(this.#nonce.subarray(0, this.#held)));
    this.#held = 0;
  }

  #emit(bytes: Buffer): void {
    if (bytes.length > 0) this.#onData(bytes);
  }

  #collect(bytes: Buffer): void {
    if (this.#trailer) return;
    this.#trailerBytes = Buffer.concat([
      this.#trailerBytes!,
      bytes.subarray(0, TRAILER_SIZE - this.#trailerBytes!.length),
    ]);
    if (this.#trailerBytes.length === TRAILER_SIZE) this.#trailer = decodeTrailer(this.#trailerBytes);
  }

  /** Length of the longest end of `bytes` that the nonce begins with. */
  #overlap(bytes: Buffer): number {
    for (let length = Math.min(this.#nonce.length - 1, bytes.length); length > 0; length--)
      if (bytes.subarray(bytes.length - length).equals(this.#nonce.subarray(0, length))) return length;
    return 0;
  }
}

/** What a supervisor would say, where there is none: one table then tells what every end means. */
export function trailerOf(kind: TrailerKind, known: Partial<Trailer> = {}): Trailer {
  const nothing = { code: null, signal: null, errno: 0, detail: 0, oomKills: null, peakMemoryBytes: null };
  return { kind, ...nothing, userMicros: 0, systemMicros: 0, wallMicros: 0, ...known };
}
