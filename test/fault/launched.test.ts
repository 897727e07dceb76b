import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BwrapBackend } from '../../src/launcher/bwrap/backend.js';
import { runtimePlaces } from '../../src/launcher/folder.js';
import { OciBackend } from '../../src/launcher/oci/backend.js';
import { createLocalProcess } from '../../src/launcher/process.js';
import { realTree } from '../../src/launcher/supervisor-process.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { stillness } from '../support/growth.js';
import { shell } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const OWNER = fileURLToPath(new URL('launched-owner.mjs', import.meta.url));
const BEATS = 'echo on; while :; do date >> beats; sleep 0.1; done';

/** The processes between the host and a sandbox are killed. */
describe.each(targets.filter(({ socket }) => !socket))('what is killed without an engine: $name', target => {
  let sandbox: CodeSandbox;
  let cgroups: string[];
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, { warm: { max: 0 } }));
    cgroups = foldersOf(process.pid).flatMap(
      folder => JSON.parse(readFileSync(`${folder}/owner.json`, 'utf8')).cgroups,
    );
  });
  afterAll(async () => {
    await sandbox.close();
    expect(leftovers(target)).toEqual([]);
    expect(cgroups.filter(folder => existsSync(folder))).toEqual([]);
  });

  test.each([
    ['the end of its connection ends the program', 'none', 20_000],
    ['with a program that reads stdin, the deadline does', 'stdin', 30_000],
  ])('the owner in the middle of a run: %s, and the next one sweeps', async (_, stdin, withinMs) => {
    using work = workspace();
    const args = [target.kind === 'oci' ? 'oci' : 'os', work.path, stdin, target.weak ? 'weak' : 'strong'];
    const owner = spawn(process.execPath, [OWNER, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(owner.stdout!, 'data');
    const started = performance.now();
    await killed(owner);
    await stillness(`${work.path}/beats`);
    expect(performance.now() - started).toBeLessThan(withinMs);
    await sandbox.prune();
    expect(foldersOf(owner.pid!)).toEqual([]);
  });

  test('what replaces a backend that is not closed yet has limits of its own', async () => {
    const process = createLocalProcess();
    const own = { process, instance: 'same', owner: currentOwner() };
    const open = () =>
      target.kind === 'oci' ? OciBackend.find('crun', { ...own, idleSeconds: 60, etcDir: '' }) : BwrapBackend.find(own);
    const [first, second] = [await open(), await open()];
    await Promise.all([first.close(), second.close()]);
    // But for the names of cgroups that it could not make.
    const [before, after] = [first, second].map(({ label }) => label.replaceAll(/[0-9a-f]{12}/g, '…'));
    expect(after).toBe(before);
  });

  test.each([
    ['one that reads nothing', undefined],
    ['one that reads stdin', () => new Readable({ read() {} })],
  ])('the launcher in the middle of a run: the run ends, and nothing stays: %s', async (_, stdin) => {
    using work = workspace();
    let strike = () => {};
    const on = new Promise<void>(resolve => {
      strike = resolve;
    });
    const run = shell(
      sandbox,
      BEATS,
      { timeout: 5000, policy: { fsWrite: [work.path] } },
      { onStdout: () => strike(), ...(stdin ? { stdin: stdin() } : {}) },
    );
    const outcome = run.catch((error: Error) => error);
    await on;
    for (const pid of realTree.childrenOf(process.pid))
      if (['crun', 'runc', 'bwrap'].includes(realTree.nameOf(pid))) process.kill(pid, 'SIGKILL');
    await outcome;
    await stillness(`${work.path}/beats`);
    await expect.poll(() => sandboxFiles(), { timeout: 60_000 }).toEqual([]);
    expect((await shell(sandbox, 'echo next')).stdout).toBe('next\n');
  });
});

/** Whatever of one sandbox lies in the folder of this process. */
function sandboxFiles(): string[] {
  return foldersOf(process.pid).flatMap(folder => globSync(`${folder}/{state,bundles}/*`));
}

function foldersOf(pid: number): string[] {
  return runtimePlaces(process.getuid!(), process.env)
    .flatMap(place => globSync(`${place}/code-sandbox-launcher-*/owner.json`))
    .filter(path => JSON.parse(readFileSync(path, 'utf8')).owner.pid === pid)
    .map(path => path.slice(0, -'/owner.json'.length));
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
