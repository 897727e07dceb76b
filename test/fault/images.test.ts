import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { request, resultOf, shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { kinds, OwnEngine } from './own-engine.js';

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
  ...Object.entries(FORGED).map(([name, value]) => `LABEL ${name}='${value}'`),
];

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
    engine.command('import', ...CHANGES.flatMap(change => ['--change', change]), tar, IMAGE);
  }

  test('an image with an entrypoint, variables, a volume, a user and our labels gets none of them', async () => {
    await using sandbox = await createCodeSandbox(configFor(engine.target, { root: { image: IMAGE } }));
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

  test('a container of somebody else’s with forged labels is not swept', async () => {
    await using sandbox = await createCodeSandbox(configFor(engine.target));
    engine.command('create', '--name', 'operators-own', '--network', 'none', IMAGE);
    expect(await sandbox.prune()).toBe(0);
    expect(engine.command('ps', '--all', '--format', '{{.Names}}')).toContain('operators-own');
    engine.command('rm', 'operators-own');
  });

  test('an image that is removed between its check and the create: a typed error, and what to do', async () => {
    const config = { root: { image: IMAGE }, warm: { max: 0 } };
    await using sandbox = await createCodeSandbox(configFor(engine.target, config));
    engine.command('rmi', '--force', IMAGE);
    const run = resultOf(sandbox, request('show', []));
    await expect(run).rejects.toMatchObject({ name: 'BackendUnavailable' });
    await expect(run).rejects.toThrow(/hostile.*(pull|build)/s);
    importHostile();
    expect((await resultOf(sandbox, request('show', []))).code).toBe(0);
  });

  test('the image under a host root that is removed is made anew', async () => {
    await using sandbox = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
    await shell(sandbox, 'true');
    await expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);
    const listed = engine.command('images', '--format', '{{.Repository}}:{{.Tag}}').split('\n');
    const ours = listed.filter(reference => reference.includes('code-sandbox/host-root'));
    expect(ours.length).toBeGreaterThan(0);
    engine.command('rmi', '--force', ...ours);
    expect((await shell(sandbox, 'echo on')).stdout).toBe('on\n');
  });
});
