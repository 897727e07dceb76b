import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ConfigInput } from '../../src/config/schema.js';
import type { RunResult } from '../../src/sandbox/result.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { type Parts, request, resultOf } from '../support/request.js';
import type { Target } from '../support/targets.js';

/** What an attack finds: a sandbox to break out of, and the programs to do it with. */
export interface Scene {
  target: Target;
  sandbox: CodeSandbox;
  /** Folder with the compiled programs, that of {@link compileAttacks}. */
  programs: string;
}

/** Something that code tries, and that must come to nothing. It rejects where it succeeds. */
export interface Attack {
  name: string;
  /** Number of the guarantee that it is aimed at. */
  guarantee: number;
  /**
   * `root`: something that only root can set up; `limits`: a target that enforces memory and pids; `noexec`: one that
   * can mount a tmpfs so that nothing is run from it, as bubblewrap cannot.
   */
  needs?: 'root' | 'limits' | 'noexec';
  run(scene: Scene): Promise<void>;
}

/** Small limits, so that every one of them is reached at once. */
export const ATTACKED = {
  limits: { memoryMiB: 96, pids: 48, tmpMiB: 8, shmMiB: 4, outputMiB: 1, fileMiB: 16 },
} satisfies ConfigInput;

/** Whether an attack can be tried on a target. */
export function applies(attack: Attack, target: Target): boolean {
  if (attack.needs === 'root') return process.getuid!() === 0;
  if (attack.needs === 'noexec') return target.kind !== 'bwrap';
  return !(attack.needs === 'limits' && target.weak);
}

/** Compiles every program of `programs/`; answers the folder, which is the caller's to remove. */
export function compileAttacks(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'attack-programs-')));
  chmodSync(folder, 0o755);
  const sources = fileURLToPath(new URL('programs', import.meta.url));
  for (const name of readdirSync(sources)) {
    const output = join(folder, basename(name, '.c'));
    execFileSync('gcc', ['-O1', '-Wall', '-Werror', '-pthread', '-o', output, join(sources, name)]);
    chmodSync(output, 0o755);
  }
  return folder;
}

/** Runs a compiled program. */
export function compiled(scene: Scene, name: string, args: string[], parts: Parts = {}): Promise<RunResult> {
  const policy = { ...parts.policy, fsRead: [scene.programs, ...(parts.policy?.fsRead ?? [])] };
  return resultOf(scene.sandbox, request(join(scene.programs, name), args, { ...parts, policy }));
}

/** Runs a Python program with arguments. */
export function script(sandbox: CodeSandbox, code: string, args: string[], parts: Parts = {}): Promise<RunResult> {
  return resultOf(sandbox, request('python3', ['-c', code, ...args], parts));
}

/** Starts a Python program, and is there when it has printed something; `result` settles at its end. */
export async function underWay(sandbox: CodeSandbox, code: string, args: string[] = [], parts: Parts = {}) {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const wanted = request('python3', ['-c', code, ...args], parts);
  const result = resultOf(sandbox, wanted, { onStdout: () => resolve() });
  result.then(() => reject(new Error('the program ended before it printed anything')), reject);
  await promise;
  return { result };
}

/** A fresh folder, for root also one of somebody else; code runs as its owner. Removed at the end of the scope. */
export function folderOf(uid = process.getuid!()): { path: string } & Disposable {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'attack-')));
  chmodSync(path, 0o755);
  if (process.getuid!() === 0) chownSync(path, uid, uid);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** Uids that root lets code run as: root's own folders make it uid 0; anybody else has one uid. */
export const uids: number[] = process.getuid!() === 0 ? [0, 12_345] : [process.getuid!()];
