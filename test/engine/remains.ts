import { globSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { OwnEngine } from '../support/own-engine.js';
import { leftovers, networksOn } from '../support/targets.js';

/** Names of our containers, in any state, and of our networks on an engine of a test's own. */
export function remainsOn(engine: OwnEngine): string[] {
  return [...leftovers(engine.target), ...networksOn(engine.target.kind, engine.socket)];
}

/** Folders that a process made for its probe or its runs, and did not remove. */
export function tempFoldersOf(pid: number): string[] {
  return globSync(`${tmpdir()}/code-sandbox-{probe,run}-*/owner.json`).filter(path => ownerOf(path) === pid);
}

function ownerOf(path: string): number | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).pid;
  } catch {
    return undefined; // removed in between
  }
}
