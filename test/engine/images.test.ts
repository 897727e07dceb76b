import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const IMAGE = 'localhost/hostile:1';
const DEAD_OWNER = '{"pid":4194303,"start":"1","boot":"b","namespace":"n"}';
const FORGED = {
  'code-sandbox.managed': 'true',
  'code-sandbox.instance': 'feed',
  'code-sandbox.owner': DEAD_OWNER,
  'code-sandbox.deadline': '1',
};
/** What an image can want: to run something else, to write, to be heard, and to pass for one of our containers. */
const CHANGES = [
  'ENTRYPOINT ["/bin/show", "entrypoint"]',
  'CMD ["cmd"]',
  'ENV LEAK=image LD_PRELOAD=/bin/show',
  'VOLUME /data',
  'USER 1234:1234',
  'WORKDIR /data',
  'HEALTHCHECK --interval=1s CMD ["/bin/show", "/tmp"]',
  ...Object.entries(FORGED).map(([name, value]) => `LABEL ${name}='${value}'`),
];

/** Code runs as whoever it would by the folders, none of which is the tests' own. */
const asAnybody = ({ target }: OwnEngine) => ({ ...target, runAs: '' });

describe.each(kinds)('images that do not do as they should: $name', like => {
  let engine: OwnEngine;
  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    importHostile();
  });
  afterAll(() => engine?.[Symbol.asyncDispose]());

  function importHostile(): void {
    using work = workspace();
    for (const folder of ['bin', 'data', 'etc', 'proc', 'sys', 'dev', 'tmp', 'run']) mkdirSync(join(work.path, folder));
    chmodSync(join(work.path, 'tmp'), 0o1777);
    const source = fileURLToPath(new URL('show.c', import.meta.url));
    execFileSync('gcc', ['-O1', '-static', '-o', join(work.path, 'bin/show'), source]);
    writeFileSync(join(work.path, 'etc/passwd'), 'root:x:0:0::/:/bin/show\n');
    const tar = join(engine.folder, 'hostile.tar');
    execFileSync('tar', ['-cf', tar, '-C', work.path, '.']);
    if (like.kind === 'docker') {
      engine.command('import', ...CHANGES.flatMap(change => ['--change', change]), tar, IMAGE);
      return;
    }
    // Podman's import takes no health check, nor do images of its own format.
    const file = join(engine.folder, 'Containerfile');
    writeFileSync(file, ['FROM scratch', 'ADD hostile.tar /', ...CHANGES].join('\n'));
    engine.command('build', '--quiet', '--format', 'docker', '--tag', IMAGE, '--file', file, engine.folder);
  }

  function checksOf(container: string): object[] {
    const { Health } = JSON.parse(engine.command('inspect', '--format', '{{json .State}}', container));
    return Health?.Log ?? [];
  }

  /** Waits until a container that is not ours was checked twice. */
  async function checkedElsewhere(): Promise<void> {
    const options = ['--detach', '--interactive', '--network', 'none', '--entrypoint', '/bin/show'];
    const plain = engine.command('run', ...options, IMAGE, 'wait').trim();
    await expect.poll(() => checksOf(plain).length).toBeGreaterThan(1);
    engine.command('rm', '--force', plain);
  }

  test('an image with an entrypoint, variables, a volume, a user and our labels gets none of them', async () => {
    await using sandbox = await createCodeSandbox(configFor(asAnybody(engine), { root: { image: IMAGE } }));
    expect(sandbox.backend).toBe(like.kind);
    const { stdout } = await resultOf(sandbox, request('show', ['/data', '/', '/tmp'], { env: { GIVEN: 'x' } }));
    const lines = stdout.split('\n').filter(Boolean);
    expect(lines).toContain('arg /data');
    expect(lines).toContain('env GIVEN=x');
    expect(lines.join('\n')).not.toMatch(/LEAK|LD_PRELOAD|entrypoint|uid 1234/);
    expect(lines).toContain('refused /data');
    expect(lines).toContain('refused /');
    expect(lines).toContain('wrote /tmp');
  });

  test('nor is its health check run, beside the program or when it is asked for', async () => {
    expect(engine.command('inspect', '--type', 'image', IMAGE)).toMatch(/"Healthcheck": *{\s*"Test"/);
    const config = { root: { image: IMAGE }, warm: { max: 0 } };
    await using sandbox = await createCodeSandbox(configFor(asAnybody(engine), config));
    await expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);
    const stdin = new PassThrough();
    let begun = () => {};
    const on = new Promise<void>(resolve => {
      begun = resolve;
    });
    const run = resultOf(sandbox, request('show', ['wait', '/tmp'], { timeout: 60_000 }), { stdin, onStdout: begun });
    await Promise.race([on, run]);
    const [name] = leftovers(engine.target);
    if (like.kind === 'docker') await checkedElsewhere();
    // Without systemd Podman checks nothing by itself.
    else expect(() => engine.command('healthcheck', 'run', name!)).toThrow(/no defined health/);
    expect(checksOf(name!)).toEqual([]);
    stdin.end();
    // Each check would have made the file, and the program could not.
    expect((await run).stdout).toContain('wrote /tmp\n');
  });

  test('a container of somebody else’s with forged labels is not swept', async () => {
    await using sandbox = await createCodeSandbox(configFor(asAnybody(engine)));
    engine.command('create', '--name', 'operators-own', '--network', 'none', IMAGE);
    expect(await sandbox.prune()).toBe(0);
    expect(engine.command('ps', '--all', '--format', '{{.Names}}')).toContain('operators-own');
    engine.command('rm', 'operators-own');
  });

  test('an image that is removed between its check and the create: a typed error, and what to do', async () => {
    const config = { root: { image: IMAGE }, warm: { max: 0 } };
    await using sandbox = await createCodeSandbox(configFor(asAnybody(engine), config));
    engine.command('rmi', '--force', IMAGE);
    const run = resultOf(sandbox, request('show', []));
    await expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await expect(run).rejects.toThrow(/hostile.*(pull|build)/s);
    importHostile();
    expect((await resultOf(sandbox, request('show', []))).code).toBe(0);
  });

  test('the image under a host root that is removed is made anew', async () => {
    await using sandbox = await createCodeSandbox(configFor(asAnybody(engine), { warm: { max: 0 } }));
    await shell(sandbox, 'true');
    await expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);
    expect(await engine.removeHostRoots()).toBeGreaterThan(0);
    expect((await shell(sandbox, 'echo on')).stdout).toBe('on\n');
  });
});
