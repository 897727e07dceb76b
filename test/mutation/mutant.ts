import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { seccompHeader } from '../../src/hardening/seccomp-header.js';
import { profile } from '../../src/hardening/seccomp-profile.js';
import type { Profile } from '../../src/hardening/seccomp-rule.js';
import type { Change } from './mutation.js';

const init = (path: string) => fileURLToPath(new URL(`../../init/${path}`, import.meta.url));

/** Builds the supervisor from changed sources; answers its folder, which is below `root`. */
export function buildSupervisor(root: string, { source = [], withoutGroupOf }: Change): string {
  cpSync(init(''), root, { recursive: true });
  for (const [file, text, instead] of source) {
    const path = join(root, 'src', file);
    const before = readFileSync(path, 'utf8');
    if (!before.includes(text)) throw new Error(`${file} has no ${JSON.stringify(text)} to take out`);
    writeFileSync(path, before.replace(text, instead));
  }
  if (withoutGroupOf) {
    const table = readFileSync(init(`syscalls/${process.arch}.txt`), 'utf8');
    const header = seccompHeader(process.arch as 'x64' | 'arm64', table, without(withoutGroupOf));
    writeFileSync(join(root, `src/seccomp_${process.arch}.h`), header);
  }
  const out = join(root, 'out');
  execFileSync('make', ['-s', '-C', root, `OUT=${out}`, `${out}/${process.arch}/supervisor`], { stdio: 'pipe' });
  return join(out, process.arch);
}

/** The filter with the calls of one group let through. */
function without(call: string): Profile {
  const spared = [...profile.rules, ...profile.refused].find(({ calls }) => calls.includes(call))!;
  return {
    allowed: [...profile.allowed, ...spared.calls],
    rules: profile.rules.filter(rule => rule !== spared),
    refused: profile.refused.filter(refusal => refusal !== spared),
  };
}

/** A command line of bubblewrap by its options, each with its values; the last is the command, from its `--` on. */
export function optionsOf(args: readonly string[]): string[][] {
  const end = args.indexOf('--');
  const options: string[][] = [];
  for (const word of args.slice(0, end)) {
    if (word.startsWith('--')) options.push([word]);
    else options.at(-1)!.push(word);
  }
  return [...options, args.slice(end)];
}

/** A change in effect, until the end of the scope. */
export class Mutant implements Disposable {
  /** Folder of the changed supervisor, where the change is to it. */
  readonly supervisor: string | undefined;
  readonly #root: string;
  readonly #spy;

  constructor(change: Change) {
    this.#root = mkdtempSync(join(tmpdir(), 'mutant-'));
    chmodSync(this.#root, 0o755);
    if (change.source || change.withoutGroupOf) this.supervisor = buildSupervisor(join(this.#root, 'init'), change);
    const request = EngineClient.prototype.request;
    this.#spy = vi.spyOn(EngineClient.prototype, 'request').mockImplementation(function (this: EngineClient, call) {
      if (call.path.endsWith('/containers/create')) change[this.facts.kind]?.(call.body);
      return request.call(this, call);
    } as typeof request);
  }

  [Symbol.dispose](): void {
    this.#spy.mockRestore();
    rmSync(this.#root, { recursive: true, force: true });
  }
}
