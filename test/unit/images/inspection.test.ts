import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { EngineClient } from '../../../src/engine/client.js';
import { Catalog } from '../../../src/images/catalog.js';
import { inspectFiles } from '../../../src/images/inspection.js';
import { billOfMaterials } from '../../../src/images/sbom.js';
import { fakeEngine } from '../engine/fake-engine.js';
import { archiveOf } from './archive.js';

const KEY = `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n-----END PRIVATE KEY-----\n`;
const DPKG = `Package: libc6
Status: install ok installed
Architecture: amd64
Version: 2.36-9+deb12u14
Description: a library
 with a long text

Package: gone
Status: deinstall ok config-files
Version: 1
`;
const APK = 'C:Q1\nP:musl\nV:1.2.5-r0\nA:x86_64\n\nP:busybox\nV:1.37.0-r8\nA:x86_64\n';

/** What an engine saves: two layers, one of them compressed, with what is wrong in the lower one. */
async function saved(): Promise<Buffer> {
  const lower = await archiveOf({
    'usr/bin/su': [0o4755, 'x'],
    'usr/bin/write': [0o2755, 'x'],
    'root/.netrc': 'machine example.invalid',
    'srv/key.txt': KEY,
    'var/lib/dpkg/status': DPKG,
  });
  const upper = await archiveOf({
    'usr/bin/.wh.write': '',
    'root/.wh..netrc': '',
    'srv/.wh.key.txt': '',
    'usr/lib/python3/dist-packages/Some_Thing-1.0.dist-info/METADATA':
      'Metadata-Version: 2.1\nName: Some_Thing\nVersion: 1.0\n\nText',
    'usr/lib/node_modules/@a/b/package.json': '{"name":"@a/b","version":"2.0.0"}',
    'usr/lib/apk/db/installed': APK,
  });
  const config = JSON.stringify({
    config: { Env: ['PATH=/bin', 'API_KEY=abc', 'NPM_TOKEN='] },
    history: [{ created_by: 'ARG PASSWORD=x' }],
  });
  const manifest = JSON.stringify([{ Config: 'c.json', Layers: ['a/layer.tar', 'b/layer.tar'] }]);
  return archiveOf({
    'b/layer.tar': gzipSync(upper),
    'c.json': config,
    'a/layer.tar': lower,
    'manifest.json': manifest,
  });
}

async function engineWith(archive: Buffer) {
  return fakeEngine('docker', (_, response) => response.end(archive));
}

const facts = { architecture: 'arm64', sizeBytes: 200 * 1024 * 1024, volumes: ['/data'] } as never;

test('a check sees the files that are left, and the secrets of every layer', async () => {
  await using fake = await engineWith(await saved());
  await using client = await EngineClient.connect(fake);
  const python = (await Catalog.load([], () => {})).get('python');
  const findings = await inspectFiles(client, python, facts);
  expect(Object.fromEntries(findings.map(({ title, ok, detail }) => [title, `${ok} ${detail}`]))).toEqual({
    architecture: 'false arm64, the engine’s machine is x64',
    'unpacked size': 'false 200 MiB, at most 150',
    'no setuid or setgid files': 'false /usr/bin/su',
    'no secrets in any layer':
      'false /root/.netrc, /srv/key.txt holds a private key, API_KEY in the image’s config, PASSWORD in the image’s config',
    'no volumes': 'false /data',
  });
});

test('a bill of materials holds what dpkg, apk, pip and npm wrote down', async () => {
  await using fake = await engineWith(await saved());
  await using client = await EngineClient.connect(fake);
  const bill = await billOfMaterials(client, 'localhost/code-sandbox/x:1', 'sha256:1');
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5', version: 1 });
  expect((bill as { components: Array<{ purl: string }> }).components.map(({ purl }) => purl)).toEqual([
    'pkg:apk/alpine/busybox@1.37.0-r8?arch=x86_64',
    'pkg:apk/alpine/musl@1.2.5-r0?arch=x86_64',
    'pkg:deb/debian/libc6@2.36-9%2Bdeb12u14?arch=amd64',
    'pkg:npm/%40a/b@2.0.0',
    'pkg:pypi/some-thing@1.0',
  ]);
  expect(await billOfMaterials(client, 'localhost/code-sandbox/x:1', 'sha256:1')).toEqual(bill);
});

test('an archive that breaks off, or lacks a layer, is an error', async () => {
  const whole = await saved();
  for (const broken of [
    whole.subarray(0, 2000),
    await archiveOf({ 'manifest.json': '[{"Config":"c","Layers":["a"]}]' }),
    Buffer.alloc(1024),
  ]) {
    await using fake = await engineWith(broken);
    await using client = await EngineClient.connect(fake);
    await expect(billOfMaterials(client, 'x', 'sha256:1')).rejects.toThrow();
  }
});
