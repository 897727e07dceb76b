import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, ownPlaces } from '../../src/launcher/folder.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

beforeAll(() => {
  if (!existsSync(main)) throw new Error('the command line is tested as it is built: run make build first');
});

function cli(...args: string[]) {
  return execa(process.execPath, [main, ...args], { reject: false, stdin: 'ignore', stripFinalNewline: false });
}

describe.each(targets)('the command line on $name', target => {
  const run = (...args: string[]) => cli('run', ...target.cli, ...args);

  test('passes output and exit code through', async () => {
    const done = await run('--', 'sh', '-c', 'echo out; echo err >&2; exit 7');
    expect(done).toMatchObject({ exitCode: 7, stdout: 'out\n', stderr: 'err\n' });
  });

  test('folders, variables, working folder', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/in`, 'in');
    const args = ['--write', work.path, '--env', 'A=b=c', '--', 'sh', '-c', 'cat in; printf "$A" > out; pwd'];
    expect(await run(...args)).toMatchObject({ exitCode: 0, stdout: `in${work.path}\n` });
    expect(readFileSync(`${work.path}/out`, 'utf8')).toBe('b=c');
  });

  test.each([
    ['an interrupt', 'SIGINT'],
    ['a terminal that is closed', 'SIGHUP'],
  ] as const)('%s ends the run and leaves no container', async (_, signal) => {
    const running = run('--', 'sh', '-c', 'echo on; sleep 60');
    await new Promise<void>(resolve => running.stdout.once('data', () => resolve()));
    running.kill(signal);
    expect((await running).exitCode).toBe(143);
    expect(leftovers(target)).toEqual([]);
  });

  test('doctor tells every guarantee', async () => {
    const { guarantees, degraded } = JSON.parse((await cli('doctor', '--json', ...target.cli)).stdout);
    expect(guarantees).toHaveLength(13);
    const weak = guarantees
      .filter(({ status }: { status: string }) => status !== 'enforced')
      .map(({ id }: { id: number }) => id);
    expect(weak).toEqual(target.weak ? [6, 7] : []);
    expect(degraded).toBe(target.weak);
  });
});

// What does not depend on the backend.
describe.each(targets.slice(0, 1))('the command line, on $name', target => {
  const run = (...args: string[]) => cli('run', ...target.cli, ...args);

  test('124 at the time limit, with a line that tells', async () => {
    const done = await run('--timeout', '500ms', '--', 'sleep', '20');
    expect(done.exitCode).toBe(124);
    expect(done.stderr).toBe(
      'code-sandbox: the run was ended at its time limit of 500 ms; the request’s timeout raises it\n',
    );
  });

  test('127 and 126 as shells do, 125 for a wrong request', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/plain`, 'x', { mode: 0o644 });
    expect((await run('--', 'nonesuch')).exitCode).toBe(127);
    expect((await run('--read', work.path, '--', `${work.path}/plain`)).exitCode).toBe(126);
    const wrong = await run('--write', `${work.path}/missing`, '--', 'true');
    expect(wrong.exitCode).toBe(125);
    expect(wrong.stderr).toContain(`${work.path}/missing`);
    expect(existsSync(`${work.path}/missing`)).toBe(false);
  });

  test('--json gives the whole result, also of a failure', async () => {
    const done = await run('--json', '--', 'sh', '-c', 'echo out; exit 3');
    expect(done.exitCode).toBe(3);
    expect(JSON.parse(done.stdout)).toMatchObject({ code: 3, stdout: 'out\n', end: 'exit', backend: target.kind });
    expect(JSON.parse((await run('--json', '--', 'nonesuch')).stdout)).toMatchObject({
      error: { name: 'InvalidRequest' },
    });
  });

  test('doctor tells the engine and every guarantee to people', async () => {
    const text = await cli('doctor', ...target.cli);
    expect(text.exitCode).toBe(0);
    expect(text.stdout).toMatch(/Runs go to: (Docker|Podman|crun|runc|bubblewrap)/);
    for (let id = 1; id <= 13; id++) expect(text.stdout).toMatch(new RegExp(`^  (ok  |WEAK) +${id} `, 'm'));
  });
});

test('usage errors are 125, so that 1 and 2 stay the program’s', async () => {
  expect((await cli('run', '--timeout', 'soon', '--', 'true')).exitCode).toBe(125);
  expect((await cli('run')).exitCode).toBe(125);
  expect((await cli('nonsense')).exitCode).toBe(125);
  expect(await cli('--help')).toMatchObject({ exitCode: 0 });
});

test('without an engine: 125 and the reason', async () => {
  const done = await cli('run', '--order', 'engine', '--socket', '/nonexistent.sock', '--', 'true');
  expect(done.exitCode).toBe(125);
  expect(done.stderr).toContain('/nonexistent.sock');
});

describe('prune', () => {
  const left = () => makeFolder({ owner: { ...currentOwner(), start: '1' }, cgroups: [] }, ownPlaces());

  test.each(targets.filter(({ socket }) => socket))('says how much it removed: with the engine $name', async target => {
    const folders = [await left(), await left()];
    const prune = () => cli('prune', '--engine', target.kind, '--socket', target.socket!);
    const first = await prune();
    expect(first.exitCode).toBe(0);
    expect(first.stdout).toMatch(
      /^removed what was left of \d+ sandboxes and owners on this host and in (Docker|Podman) /,
    );
    expect(Number(/\d+/.exec(first.stdout)?.[0])).toBeGreaterThanOrEqual(folders.length);
    expect(folders.filter(folder => existsSync(folder))).toEqual([]);
    const again = await prune();
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toMatch(/^removed what was left of 0 sandboxes and owners /);
  });

  test('sweeps the host also where the engine that is named is not there, and says that', async () => {
    const folder = await left();
    const done = await cli('prune', '--socket', '/nonexistent.sock');
    expect(done).toMatchObject({ exitCode: 125, stderr: expect.stringContaining('/nonexistent.sock') });
    expect(existsSync(folder)).toBe(false);
  });
});
