import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { inspectImage } from '../../src/engine/image.js';
import { ImageBuilder } from '../../src/images/builder.js';
import { Catalog } from '../../src/images/catalog.js';
import { checkImage } from '../../src/images/check.js';
import { billOfMaterials } from '../../src/images/sbom.js';
import { smokeTests } from '../../src/images/smoke.js';
import { createLocalProcess } from '../../src/launcher/process.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, request, resultOf } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const CACHE = fileURLToPath(new URL('../../.cache/code-sandbox', import.meta.url));
const NAMES = ['base', 'python', 'node', 'python-data', 'polyglot'];

/** `make images` brings the images to every engine; where it did not run, they are built here. */
describe.each(targets.filter(({ socket }) => socket))('the shipped images on $name', target => {
  let client: EngineClient;
  let catalog: Catalog;
  beforeAll(async () => {
    client = await EngineClient.connect({ socketPath: target.socket! });
    catalog = await Catalog.load([], fault => expect.fail(fault.message));
  });
  afterAll(() => client?.close());

  const builder = () =>
    new ImageBuilder({ client, process: createLocalProcess(), cache: CACHE, base: 'local', onLine: () => {} });

  test.each(NAMES)('%s is there, of what its folder holds', { timeout: 1_200_000 }, async name => {
    const { digest } = await builder().build(catalog.get(name));
    expect(await builder().build(catalog.get(name))).toMatchObject({ digest, fresh: false });
  });

  test.each(['python', 'node'])('%s passes its check', { timeout: 600_000 }, async name => {
    const report = await checkImage(client, catalog.get(name));
    expect(report.findings.filter(({ ok }) => !ok)).toEqual([]);
    expect(report.ok).toBe(true);
  });

  test.each(['python-data', 'polyglot'])('%s passes its smoke tests', { timeout: 600_000 }, async name => {
    await using sandbox = await createCodeSandbox(configFor(target, { root: { image: name } }));
    const findings = await smokeTests(sandbox, catalog.get(name));
    expect(findings.length).toBeGreaterThan(catalog.get(name).manifest.smoke.length);
    expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  });

  test('a bill of materials names the packages of the manifest', { timeout: 300_000 }, async () => {
    const { reference, manifest } = catalog.get('node');
    const { id } = (await inspectImage(client, reference))!;
    const bill = (await billOfMaterials(client, reference, id)) as { components: Array<{ purl: string }> };
    const all = bill.components.map(({ purl }) => purl).join('\n');
    expect(all).toMatch(/^pkg:deb\/debian\/bash@/m);
    expect(all).toContain(`pkg:npm/${manifest.packages.npm.npm}`);
  });

  describe('as the root of runs', () => {
    let sandbox: CodeSandbox;
    const lines: string[] = [];
    beforeAll(async () => {
      const write = (message: string) => lines.push(message);
      const logger = { child: () => logger, debug: write, info: write, warn: write, error: write };
      sandbox = await createCodeSandbox(configFor(target, { root: { rootfs: 'auto' } }), { logger });
      expect(sandbox.backend).toBe(target.kind);
    });
    afterAll(() => sandbox?.close());

    test('each command gets the image that is made for it, with one line in the log', async () => {
      const data = await python(sandbox, 'import numpy; print(numpy.arange(3).sum())');
      expect(data).toMatchObject({ code: 0, stdout: '3\n', stderr: '' });
      expect(data.image).toBe((await inspectImage(client, catalog.get('python-data').reference))!.id);
      const node = await resultOf(sandbox, request(process.execPath, ['-p', 'process.execPath']));
      expect(node).toMatchObject({ code: 0, stdout: '/usr/local/bin/node\n' });
      await python(sandbox, 'pass');
      expect(lines.filter(line => line.startsWith('python3 runs in'))).toHaveLength(1);
    });

    test('an image shows nothing of the host, and takes no file', async () => {
      using work = workspace();
      const code = `import os, pathlib
print(sorted(os.listdir(${JSON.stringify(work.path)})), os.path.exists(${JSON.stringify(CACHE)}))
for place in ('/', '/usr', '/etc', '/var', '/usr/local/lib'):
    try: pathlib.Path(place, 'x').write_text('x'); print('wrote', place)
    except OSError: pass`;
      const result = await python(sandbox, code, { policy: { fsRead: [work.path] } });
      expect(result).toMatchObject({ code: 0, stdout: '[] False\n', stderr: '' });
    });
  });

  test('rootfs "image" without the image: a fast error with the command that makes it', async () => {
    const config = configFor(target, { root: { rootfs: 'image', image: 'localhost/code-sandbox/nonesuch:1' } });
    await using sandbox = await createCodeSandbox(config);
    expect(sandbox.available).toBe(false);
    await expect(sandbox.run(request('python3', []))).rejects.toThrow(/code-sandbox\/nonesuch:1/);
  });
});
