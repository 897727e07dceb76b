import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { type Target, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** The command on a target. */
function commandOn(target: Target) {
  return (work: { path: string }, args: string[], more: { input?: string; env?: Record<string, string> } = {}) => {
    const { input, env } = more;
    // By its first line, as a shell starts it.
    return execa(main, ['run', ...target.cli, ...args], {
      cwd: work.path,
      reject: false,
      stripFinalNewline: false,
      ...(input === undefined ? { stdin: 'ignore' } : { input }),
      env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, ...env },
    });
  };
}

describe.each(targets)('run in a workspace, on the command line, on $name', target => {
  const run = commandOn(target);

  test('access, artifacts and JSON', async () => {
    using work = workspace();
    const script = 'pwd; echo x > made; mkdir /scratch/artifacts/a; echo kept > /scratch/artifacts/a/b.txt; exit 3';
    const wrote = await run(work, ['--access', 'workspace-write', '--artifacts', 'out', '--', 'sh', '-c', script]);
    expect(wrote).toMatchObject({ exitCode: 3, stdout: '/workspace\n' });
    expect(readFileSync(`${work.path}/out/a/b.txt`, 'utf8')).toBe('kept\n');
    const again = await run(work, ['--artifacts', 'out', '--', 'true']);
    expect(again).toMatchObject({ exitCode: 125 });
    expect(again.stderr).toMatch(/--artifacts\) is not empty/);
    const read = await run(work, ['--json', '--access', 'read-only', '--', 'sh', '-c', 'cat made; touch new']);
    expect(JSON.parse(read.stdout)).toMatchObject({
      stdout: 'x\n',
      access: 'read-only',
      artifacts: [],
      backend: target.kind,
    });
    expect(readdirSync(work.path).toSorted()).toEqual(['made', 'out']);
  });
});

// What does not depend on the backend.
describe.each(targets.slice(0, 1))('run in a workspace, on the command line, on $name', target => {
  const run = commandOn(target);

  test('a folder for artifacts that the run has turned into a link takes nothing', async () => {
    using work = workspace();
    using other = workspace();
    const script = `rmdir out; ln -s ${other.path} out; echo x > /scratch/artifacts/x`;
    const done = await run(work, ['--access', 'workspace-write', '--artifacts', 'out', '--', 'sh', '-c', script]);
    expect(done.exitCode).toBe(125);
    expect(done.stderr).toMatch(/was changed by the run/);
    expect(readdirSync(other.path)).toEqual([]);
  });

  test('stdin only where it is asked for, variables from the caller and from a file', async () => {
    using work = workspace();
    expect(await run(work, ['--stdin', '--', 'wc', '-c'], { input: 'x'.repeat(200_000) })).toMatchObject({
      stdout: '200000\n',
    });
    expect(await run(work, ['--', 'cat'], { input: 'not read' })).toMatchObject({ exitCode: 0, stdout: '' });
    writeFileSync(`${work.path}/vars`, 'A=from file\nB="two words"\n');
    const args = ['--env-file', 'vars', '--env', 'A', '--env', 'C=c', '--', 'sh', '-c', 'echo $A,$B,$C,$D'];
    expect(await run(work, args, { env: { A: 'own', D: 'hidden' } })).toMatchObject({ stdout: 'own,two words,c,\n' });
    expect(await run(work, ['--env', 'NOT_SET', '--', 'true'])).toMatchObject({ exitCode: 125 });
    expect(await run(work, ['--access', 'read-only', '--read', '.', '--', 'true'])).toMatchObject({ exitCode: 125 });
  });

  test('a file of variables is the program’s alone: nothing of it happens on the host', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/on-the-host.cjs`, `require('node:fs').writeFileSync('${work.path}/ran', '')`);
    writeFileSync(`${work.path}/vars`, `NODE_OPTIONS=--require=${work.path}/on-the-host.cjs\n`);
    const args = ['--env-file', 'vars', '--', 'sh', '-c', 'echo $NODE_OPTIONS'];
    expect((await run(work, args)).stdout).toBe(`--require=${work.path}/on-the-host.cjs\n`);
    expect(readdirSync(work.path)).not.toContain('ran');
    const missing = await run(work, ['--env-file', 'nonesuch', '--', 'true']);
    expect(missing).toMatchObject({ exitCode: 125 });
    expect(missing.stderr).toMatch(/nonesuch/);
  });

  test('files that the host would run are pointed out', async () => {
    using work = workspace();
    mkdirSync(`${work.path}/sub`);
    symlinkSync('sub', `${work.path}/.vscode`);
    const done = await run(work, [
      '--access',
      'workspace-write',
      '--',
      'sh',
      '-c',
      'touch sub/.envrc; ln -sfn /etc .vscode',
    ]);
    expect(done.exitCode).toBe(0);
    expect(done.stderr).toContain(`look at it before anything is run there: "${work.path}/sub/.envrc"`);
    expect(done.stderr).toContain(`"${work.path}/.vscode"`);
  });
});
