import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const isRoot = process.getuid!() === 0;

/** Cases from the field about files; docs/field-cases.md lists them all. */
describe.each(targets)('field cases, files, on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target));
  });
  afterAll(() => sandbox.close());

  test('case 22: a typo in fsWrite is an error, and the path still does not exist', async () => {
    using work = workspace();
    const typo = `${work.path}/workspcae`;
    const run = shell(sandbox, 'true', { policy: { fsWrite: [typo] } });
    await expect(run).rejects.toMatchObject({ name: 'InvalidRequest' });
    await expect(run).rejects.toThrow(/workspcae/);
    expect(existsSync(typo)).toBe(false);
  });

  test('case 23: what code leaves can be deleted by the caller', async () => {
    using work = workspace();
    const code = 'mkdir -p a/b; touch a/b/c; chmod 700 a/b; ln -s /nowhere a/l; mkfifo a/p';
    expect((await shell(sandbox, code, { policy: { fsWrite: [work.path] } })).code).toBe(0);
    execFileSync('rm', ['-rf', `${work.path}/a`]);
    expect(readdirSync(work.path)).toEqual([]);
  });

  test('case 24: a writable child of a readable parent that does not exist is refused, the parent unchanged', async () => {
    using work = workspace();
    const policy = { fsRead: [work.path], fsWrite: [`${work.path}/out`] };
    await expect(shell(sandbox, 'true', { policy })).rejects.toMatchObject({ name: 'InvalidRequest' });
    expect(readdirSync(work.path)).toEqual([]);
  });

  test.runIf(isRoot)('case 25: what is mounted in a readable folder is refused, or not writable', async () => {
    using work = workspace();
    const inner = `${work.path}/inner`;
    mkdirSync(inner);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=777', 'tmpfs', inner]);
    try {
      const outcome = await shell(sandbox, 'echo x > inner/new', { policy: { fsRead: [work.path] } }).then(
        result => result.code,
        error => error.name,
      );
      expect(outcome).not.toBe(0);
      expect(readdirSync(inner)).toEqual([]);
    } finally {
      execFileSync('umount', [inner]);
    }
  });

  test('case 28: a cwd that does not exist is an error', async () => {
    using work = workspace();
    const cwd = `${work.path}/nowhere`;
    await expect(shell(sandbox, 'pwd', { cwd, policy: { fsWrite: [work.path] } })).rejects.toMatchObject({
      name: 'InvalidRequest',
    });
    expect(existsSync(cwd)).toBe(false);
  });

  test('case 30: caches and settings find a place under a read-only root', async () => {
    const code = `import os, pathlib, tempfile
home = pathlib.Path.home()
for name in ['.cache/pip', '.config/matplotlib', '.local/share', '.npm']: (home / name).mkdir(parents=True)
(home / '.config/matplotlib/fontlist.json').write_text('{}')
tempfile.NamedTemporaryFile().write(b'x'); print('ok')`;
    expect(await python(sandbox, code)).toMatchObject({ code: 0, stdout: 'ok\n', stderr: '' });
  });

  test('case 31: a folder with a control socket is refused', async () => {
    for (const path of ['/run', '/var/run']) {
      const run = shell(sandbox, 'true', { policy: { fsRead: [path] } });
      await expect(run).rejects.toMatchObject({ name: 'InvalidRequest' });
    }
  });

  test('case 32: empty values, equal signs and newlines arrive, absent keys do not', async () => {
    using work = workspace();
    writeFileSync(
      `${work.path}/script.py`,
      'import os; print(repr(sorted(k for k in os.environ if k.startswith("V_"))))',
    );
    const env = { V_EMPTY: '', V_EQUALS: '=a=b', V_LINES: '\n\n', V_GONE: undefined };
    const result = await shell(sandbox, 'python3 script.py; printf "%s|%s|%s" "$V_EMPTY" "$V_EQUALS" "$V_LINES"', {
      env,
      policy: { fsRead: [work.path] },
    });
    expect(result.stdout).toBe("['V_EMPTY', 'V_EQUALS', 'V_LINES']\n|=a=b|\n\n");
  });
});
