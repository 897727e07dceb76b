import { execFile } from 'node:child_process';
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { inspectImage } from '../../src/engine/image.js';
import { removeImage } from '../../src/engine/imagelist.js';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));
const run = promisify(execFile);
const REFERENCE = 'localhost/code-sandbox/texts:0.1.0';

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The way of docs/images.md, on the command line. */
describe.each(targets.filter(({ socket }) => socket))('a maintainer on $name', { timeout: 600_000 }, target => {
  let work: ReturnType<typeof workspace>;
  let client: EngineClient;
  beforeAll(async () => {
    work = workspace();
    client = await EngineClient.connect({ socketPath: target.socket! });
    await removeImage(client, REFERENCE);
  });
  afterAll(async () => {
    await removeImage(client, REFERENCE);
    await client.close();
    work[Symbol.dispose]();
  });

  async function images(...args: string[]): Promise<Ended> {
    const env = { ...process.env, XDG_CACHE_HOME: CACHE };
    const whole = [MAIN, 'images', ...args, ...(args[0] === 'new' ? [] : ['--socket', target.socket!])];
    return run(process.execPath, whole, { env, maxBuffer: 64 * 1024 * 1024 }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
    );
  }
  const there = () => inspectImage(client, REFERENCE);
  const manifest = (): string => join(work.path, 'texts', 'image.json');
  const edit = (changes: Record<string, unknown>) => {
    writeFileSync(manifest(), JSON.stringify({ ...JSON.parse(readFileSync(manifest(), 'utf8')), ...changes }));
  };

  test('lays out an image, builds it, checks it; a second build does nothing', async () => {
    const laid = await images('new', 'texts', '--extends', 'base', '--in', work.path);
    expect(laid).toMatchObject({ code: 0, stderr: '' });
    const built = await images('build', 'texts', '--dir', work.path);
    expect(built).toMatchObject({ code: 0, stdout: expect.stringContaining(`${REFERENCE} built`) });
    expect(built.stderr).toMatch(/^\[texts\] step 1/im);
    const again = await images('build', 'texts', '--dir', work.path, '--json');
    expect(JSON.parse(again.stdout)).toMatchObject([{ name: 'texts', reference: REFERENCE, fresh: false }]);
    const checked = await images('check', 'texts', '--dir', work.path);
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining('ok   sh: says hello') });
    const listed = JSON.parse((await images('ls', '--dir', work.path, '--json')).stdout);
    expect(listed).toContainEqual(expect.objectContaining({ name: 'texts', extends: 'base', id: (await there())!.id }));
  });

  test('is told what a check finds, by exit code 1', async () => {
    edit({ smoke: [{ name: 'wrong', command: 'sh', script: 'echo a; echo b >&2', expect: 'x\n' }], maxSizeMiB: 1 });
    const { code, stdout } = await images('check', 'texts', '--dir', work.path);
    expect(code).toBe(1);
    expect(stdout).toContain(`${REFERENCE} FAILS`);
    expect(stdout).toMatch(/FAIL unpacked size: \d+ MiB, at most 1/);
    expect(stdout).toContain('FAIL sh: wrong: stdout is "a\\n", expected "x\\n"; stderr is not empty: b');
  });

  test('carries it elsewhere and removes it', async () => {
    const file = join(work.path, 'texts.tar');
    const { id } = (await there())!;
    expect(await images('save', 'texts', '--dir', work.path, '-o', file)).toMatchObject({ code: 0 });
    expect(await images('rm', 'texts', '--dir', work.path)).toMatchObject({
      code: 0,
      stdout: `${REFERENCE} removed\n`,
    });
    expect(await there()).toBeUndefined();
    const loaded = await images('load', file, '--json');
    expect(JSON.parse(loaded.stdout)).toEqual([expect.stringContaining(REFERENCE)]);
    expect((await there())!.id).toBe(id);
  });

  test.each([
    [
      'a step that fails',
      'ARG BASE\nFROM $BASE\nRUN echo on the way && exit 3\n',
      /at its step "RUN echo[^"]*".*3[\s\S]*on the way/,
    ],
    ['a file that is not there', 'ARG BASE\nFROM $BASE\nCOPY nonesuch /\n', /at its step "COPY nonesuch \/".*nonesuch/],
    ['an instruction that is none', 'ARG BASE\nFROM $BASE\nINSTALL jq\n', /was not built.*INSTALL/i],
    ['an empty Containerfile', '', /was not built/],
  ])('%s: an error that names it, and the tag stays where it was', async (_, containerfile, reason) => {
    const before = (await there())!.id;
    writeFileSync(join(work.path, 'texts', 'Containerfile'), containerfile);
    const { code, stderr } = await images('build', 'texts', '--dir', work.path, '-q');
    expect(code).toBe(125);
    expect(stderr).toMatch(reason);
    expect((await there())!.id).toBe(before);
  });

  test('a link out of the context, and a base that is nowhere: an error, and no build', async () => {
    symlinkSync('/etc/passwd', join(work.path, 'texts', 'passwd'));
    const linked = await images('build', 'texts', '--dir', work.path, '-q');
    expect(linked).toMatchObject({ code: 125, stderr: expect.stringContaining('is a link out of the build') });
    rmSync(join(work.path, 'texts', 'passwd'));
    const based = await images('build', 'base', '--base', 'localhost/nonesuch:1', '-q', '--json');
    expect(JSON.parse(based.stdout)).toMatchObject({
      error: {
        name: 'InvalidImage',
        message: expect.stringMatching(/base localhost\/nonesuch:1 is not there and cannot be pulled/),
      },
    });
  });

  test('a failed check removes what was just built', async () => {
    writeFileSync(join(work.path, 'texts', 'Containerfile'), 'ARG BASE\nFROM $BASE\nRUN chmod u+s /bin/true\n');
    const { code, stderr } = await images('build', 'texts', '--dir', work.path, '-q', '--check');
    expect(code).toBe(125);
    expect(stderr).toMatch(/was removed again[\s\S]*FAIL no setuid or setgid files: \/(usr\/)?bin\/true/);
    expect(await there()).toBeUndefined();
  });
});
