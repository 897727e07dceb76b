import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** What goes in arrives exactly, what comes out is exact. */
describe.each(targets)('faithful on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target));
  });
  afterAll(async () => {
    await sandbox.close();
    expect(leftovers(target)).toEqual([]);
  });

  test('odd arguments and variables', async () => {
    const args = [
      '',
      ' ',
      '--',
      '-x',
      '$HOME',
      '"',
      "'",
      '\\',
      'a\nb',
      'ünï ✓ 🜂',
      '*',
      '\u0001\u007f',
      'x'.repeat(100_000),
    ];
    const env = {
      EMPTY: '',
      EQUALS: 'a=b=c',
      LINES: 'a\nb\n',
      'odd.name-': '1',
      GONE: undefined,
      UNI: 'ß✓',
      PATH: '/usr/bin:/bin',
    };
    const code = 'import json, os, sys; print(json.dumps([sys.argv[1:], dict(os.environ)]))';
    const { stdout } = await resultOf(sandbox, request('python3', ['-c', code, ...args], { env }));
    const [seenArgs, seenEnv] = JSON.parse(stdout);
    expect(seenArgs).toEqual(args);
    const { GONE, PATH, ...exact } = env;
    expect(seenEnv).toMatchObject(exact);
    expect(seenEnv).not.toHaveProperty('GONE');
    const { stdout: names } = await python(sandbox, 'import json, os; print(json.dumps(sorted(os.environ)))');
    const own: string[] = JSON.parse(names);
    // An image of the catalog has variables that its manifest names.
    if (process.env.ROOT_IMAGE === undefined)
      expect(own).toEqual(['HOME', 'HOSTNAME', 'LANG', 'LOGNAME', 'PATH', 'TMPDIR', 'USER']);
    expect(Object.keys(seenEnv).sort()).toEqual([...own, ...Object.keys(exact)].sort());
  });

  test('stdin is at its end', async () => {
    expect((await python(sandbox, 'import sys; print(repr(sys.stdin.read()))')).stdout).toBe("''\n");
  });

  test('bytes that are no UTF-8, NULs, no newline at the end', async () => {
    const result = await python(sandbox, 'import sys; sys.stdout.buffer.write(b"a\\xff\\xfe\\x00b")');
    expect(result.stdout).toBe('a\ufffd\ufffd\u0000b');
  });

  test('non-ASCII prints with an empty environment', async () => {
    expect((await python(sandbox, 'print("✓ ü")', { env: {} })).stdout).toBe('✓ ü\n');
    expect((await resultOf(sandbox, request('node', ['-e', 'console.log("✓ ü")']))).stdout).toBe('✓ ü\n');
  });

  test.each([
    'plain',
    'with space',
    'co:lon',
    'com,ma',
    'quo"te',
    "apo'strophe",
    'new\nline',
    'ünï✓',
    '-dash',
    'back\\slash',
    '%s $x',
  ])('the folder name %j works to read and to write', async name => {
    using work = workspace();
    const folder = `${work.path}/${name}`;
    mkdirSync(folder);
    writeFileSync(`${folder}/in`, 'read');
    const result = await shell(sandbox, 'pwd; cat in; printf written > out', { policy: { fsWrite: [folder] } });
    expect(result).toMatchObject({ code: 0, stdout: `${folder}\nread` });
    expect(readFileSync(`${folder}/out`, 'utf8')).toBe('written');
    const readOnly = await shell(sandbox, `cat in; echo no > out`, { policy: { fsRead: [folder] } });
    expect(readOnly.stdout).toBe('read');
    expect(readOnly.code).not.toBe(0);
    expect(readFileSync(`${folder}/out`, 'utf8')).toBe('written');
  });

  test('what is written belongs to the folder’s owner', async () => {
    using work = workspace();
    expect((await shell(sandbox, 'echo x > made; mkdir sub', { policy: { fsWrite: [work.path] } })).code).toBe(0);
    for (const name of ['made', 'sub']) {
      expect(statSync(`${work.path}/${name}`)).toMatchObject({ uid: process.getuid!(), gid: process.getgid!() });
    }
  });

  test('Aalis’s default layout: the temp folder inside the workspace, the script edits itself', async () => {
    using work = workspace();
    const tmp = `${work.path}/.tmp/code-runner-1`;
    mkdirSync(tmp, { recursive: true });
    writeFileSync(`${tmp}/script.py`, 'import sys, os\nopen(sys.argv[0], "a").write("#")\nprint(os.getcwd())');
    const result = await resultOf(
      sandbox,
      request('python3', [`${tmp}/script.py`], {
        cwd: work.path,
        policy: { fsRead: [work.path], fsWrite: [work.path, tmp] },
      }),
    );
    expect(result).toMatchObject({ code: 0, stdout: `${work.path}\n` });
    expect(readFileSync(`${tmp}/script.py`, 'utf8')).toMatch(/#$/);
  });

  test('a writable folder in a readable one', async () => {
    using work = workspace();
    mkdirSync(`${work.path}/out`);
    const policy = { fsRead: [work.path], fsWrite: [`${work.path}/out`] };
    const result = await shell(sandbox, 'echo x > a && ! echo y > ../b', { policy });
    expect(result.code).toBe(0);
    expect(existsSync(`${work.path}/out/a`)).toBe(true);
    expect(existsSync(`${work.path}/b`)).toBe(false);
  });

  test('a child that outlives the program: the result comes at once, the child is dead', async () => {
    using work = workspace();
    let last = Number.NaN;
    const onStdout = () => {
      last = performance.now();
    };
    const code = '(trap "" TERM HUP; while :; do date > alive; sleep 0.05; done) & echo done';
    const parts = { policy: { fsWrite: [work.path] }, timeout: 15_000 };
    const result = await shell(sandbox, code, parts, { onStdout });
    expect(performance.now() - last).toBeLessThan(3000);
    expect(result).toMatchObject({ code: 0, stdout: 'done\n' });
    const before = existsSync(`${work.path}/alive`) && statSync(`${work.path}/alive`).mtimeMs;
    await new Promise(resolve => setTimeout(resolve, 300));
    expect(existsSync(`${work.path}/alive`) && statSync(`${work.path}/alive`).mtimeMs).toBe(before);
  });

  test('threads, processes, semaphores and a terminal of its own', async () => {
    const code = `import concurrent.futures as f, multiprocessing as m, threading
if __name__ == '__main__':
    with f.ThreadPoolExecutor(4) as pool: print(sum(pool.map(abs, range(-9, 0))))
    with m.Pool(2) as pool: print(pool.map(abs, [-1, -2]))`;
    expect(await python(sandbox, code)).toMatchObject({ code: 0, stdout: '45\n[1, 2]\n', stderr: '' });
  });
});
