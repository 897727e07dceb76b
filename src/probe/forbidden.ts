import { dirname } from 'node:path';
import type { SandboxRunRequest } from '../aalis.js';
import { BOUNDS } from '../policy/bounds.js';
import type { AcceptedRequest } from './observation.js';

/** A request that must be refused, and the guarantee that says so. */
export interface ForbiddenRequest extends AcceptedRequest {
  request: SandboxRunRequest;
}

/** Every root has it, so it is looked for nowhere else; what runs in its place is the probe. */
export const STAND_IN = 'sh';

/** Requests of which every one must be refused. `folder` is one that a request may name. Pure. */
export function forbiddenRequests(folder: string, controlSockets: string[]): ForbiddenRequest[] {
  const base = {
    cmd: STAND_IN,
    args: [],
    policy: { fsRead: [folder], fsWrite: [], network: 'deny' },
  } as SandboxRunRequest;
  const reading = (path: string) => ({ ...base, policy: { ...base.policy, fsRead: [path] } });
  const writing = (path: string) => ({ ...base, policy: { ...base.policy, fsWrite: [path] } });
  const beyond = (what: string, change: Partial<SandboxRunRequest>): ForbiddenRequest => {
    return { guarantee: 13, what, request: { ...base, ...change } };
  };
  const { folders, variables, totalBytes, stringBytes, timeoutMs } = BOUNDS;
  return [
    ...[...new Set(controlSockets.map(path => dirname(path)))].map((path): ForbiddenRequest => {
      return { guarantee: 5, what: path, request: reading(path) };
    }),
    ...['/', '/proc', '/sys', '/dev', '/etc', '/usr', '/run'].map((path): ForbiddenRequest => {
      return { guarantee: 9, what: `reading ${path}`, request: reading(path) };
    }),
    ...['/', '/etc', '/tmp'].map((path): ForbiddenRequest => {
      return { guarantee: 9, what: `writing ${path}`, request: writing(path) };
    }),
    beyond(`${folders + 1} folders`, {
      policy: { ...base.policy, fsRead: Array.from({ length: folders + 1 }, () => folder) },
    }),
    beyond(`${variables + 1} variables`, {
      env: Object.fromEntries(Array.from({ length: variables + 1 }, (_, index) => [`V${index}`, ''])),
    }),
    beyond(`an argument of ${stringBytes} bytes`, { args: ['x'.repeat(stringBytes)] }),
    beyond(`arguments of more than ${totalBytes} bytes`, {
      args: Array.from({ length: (2 * totalBytes) / stringBytes }, () => 'x'.repeat(stringBytes - 1)),
    }),
    beyond('a timeout of 0 ms', { timeout: 0 }),
    beyond(`a timeout of ${timeoutMs + 1} ms`, { timeout: timeoutMs + 1 }),
  ];
}
