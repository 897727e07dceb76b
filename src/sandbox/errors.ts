import type { RunResult } from './result.js';

/** Why a request was refused; `command-*` come from inside the sandbox, the others before anything is created. */
export type InvalidRequestCode = 'invalid' | 'refused' | 'command-not-found' | 'command-not-executable';

/** The request is at fault. Nothing ran, and nothing was created on the host. */
export class InvalidRequest extends Error {
  override readonly name = 'InvalidRequest';
  readonly code: InvalidRequestCode;
  constructor(message: string, code: InvalidRequestCode = 'invalid', options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** The program ran and did not succeed: it is the code's own failure, and `result` tells all about it. */
export class RunFailed extends Error {
  override readonly name = 'RunFailed';
  readonly result: RunResult;
  constructor(message: string, result: RunResult) {
    super(message);
    this.result = result;
  }
}

/** The platform is at fault: no engine, an engine that is lost or silent, a guarantee that it does not keep. */
export class BackendUnavailable extends Error {
  override readonly name = 'BackendUnavailable';
}

/** An image is at fault, to be mended by whoever makes it: its manifest, its Containerfile, its context, its base. */
export class InvalidImage extends Error {
  override readonly name = 'InvalidImage';
}

/** All slots are taken and the queue is full. */
export class SandboxBusy extends Error {
  override readonly name = 'SandboxBusy';
}

const SHORTAGES = new Set(['EMFILE', 'ENFILE', 'ENOMEM']);

/** Whether this process or this host is out of something, which tells nothing about whom it spoke to. */
export function isShortage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return SHORTAGES.has((error as NodeJS.ErrnoException).code ?? '') || isShortage(error.cause);
}

/** What was thrown, in words; it need not be an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** For `catch`: what is not there (ENOENT) is undefined, any other error is thrown on. */
export function ifMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
