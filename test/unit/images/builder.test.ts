import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EngineClient } from '../../../src/engine/client.js';
import { ImageBuilder } from '../../../src/images/builder.js';
import { Catalog } from '../../../src/images/catalog.js';
import { createLocalProcess } from '../../../src/launcher/process.js';
import { workspace } from '../../support/workspace.js';
import { fakeEngine, json } from '../engine/fake-engine.js';

let work: ReturnType<typeof workspace>;
beforeEach(() => {
  work = workspace();
});
afterEach(() => work[Symbol.dispose]());

function image(
  name: string,
  more: Record<string, unknown> = {},
  containerfile = 'ARG BASE\nFROM $BASE\nRUN make\n',
): void {
  const folder = join(work.path, 'images', name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'image.json'), JSON.stringify({ name, version: '1', description: 'x', ...more }));
  if (containerfile) writeFileSync(join(folder, 'Containerfile'), containerfile);
}

type Build = (request: IncomingMessage, query: URLSearchParams) => string;

/** An engine that remembers the labels of what it builds; `build` answers with events. */
async function building(names: string[], build: Build, options: { architecture?: string; base?: string } = {}) {
  const present = new Map<string, object>([['debian:12', { labels: {}, digests: ['debian@sha256:d'] }]]);
  const builds: URLSearchParams[] = [];
  await using fake = await fakeEngine('docker', async (request, response) => {
    const url = new URL(request.url!, 'http://engine');
    const found = /^\/images\/(.+)\/json$/.exec(url.pathname);
    if (found) {
      const known = present.get(decodeURIComponent(found[1]!)) as { labels: object; digests?: string[] } | undefined;
      if (!known) return json(response, { message: 'No such image' }, 404);
      const Architecture = options.architecture ?? 'amd64';
      return json(response, {
        Id: `sha256:${found[1]}`,
        Architecture,
        RepoDigests: known.digests,
        Config: { Labels: known.labels },
      });
    }
    await text(request);
    if (url.pathname !== '/build')
      return json(response, { message: 'manifest unknown' }, url.pathname === '/images/prune' ? 200 : 404);
    builds.push(url.searchParams);
    const answer = build(request, url.searchParams);
    if (!answer.includes('"error"')) {
      present.set(url.searchParams.get('t')!, { labels: JSON.parse(url.searchParams.get('labels')!) });
    }
    response.end(answer);
  });
  await using client = await EngineClient.connect(fake);
  const catalog = await Catalog.load([join(work.path, 'images')], fault => expect.fail(fault.message));
  const lines: string[] = [];
  const { base = 'debian:12' } = options;
  const one = () =>
    new ImageBuilder({
      client,
      process: createLocalProcess(),
      cache: join(work.path, 'cache'),
      base,
      onLine: (name, line) => lines.push(`[${name}] ${line}`),
    });
  const results: string[] = [];
  for (const name of names) {
    const [outcome] = await Promise.allSettled([one().build(catalog.get(name))]);
    results.push(
      outcome!.status === 'rejected'
        ? `${outcome.reason.name}: ${outcome.reason.message}`
        : String(outcome!.value.fresh),
    );
  }
  return { results, builds, lines };
}

const fine: Build = () => '{"stream":"Step 1/1 : RUN make\\n"}\n{"stream":"done\\n"}\n';

test('what an image extends is built first, on a base that is pinned; nothing is built twice', async () => {
  image('low', { packages: { debian: ['a', 'b'] }, labels: { team: 'x' } }, 'FROM x\nARG DEBIAN_PACKAGES\nARG BASE\n');
  image('high', { extends: 'low' });
  const { results, builds, lines } = await building(['high', 'low', 'high'], fine);
  expect(results).toEqual(['true', 'false', 'false']);
  expect(builds.map(query => [query.get('t'), query.get('dockerfile'), JSON.parse(query.get('buildargs')!)])).toEqual([
    ['localhost/code-sandbox/low:1', 'Containerfile', { BASE: 'debian@sha256:d', DEBIAN_PACKAGES: 'a b' }],
    ['localhost/code-sandbox/high:1', 'Containerfile', { BASE: 'sha256:localhost%2Fcode-sandbox%2Flow%3A1' }],
  ]);
  expect(JSON.parse(builds[0]!.get('labels')!)).toMatchObject({
    team: 'x',
    'org.opencontainers.image.title': 'low',
    'code-sandbox.base': 'debian:12',
    'code-sandbox.digest': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(lines).toContain('[low] done');
});

test('a step that fails is named, with its own output', async () => {
  image('low');
  const failing: Build = () =>
    '{"stream":"Step 1/2 : FROM x\\n"}\n{"stream":"Step 2/2 : RUN make\\n"}\n{"stream":"cc: no such file\\n"}\n' +
    '{"errorDetail":{"code":2},"error":"The command \'/bin/sh -c make\' returned a non-zero code: 2"}\n';
  const { results } = await building(['low'], failing);
  expect(results[0]).toBe(
    'InvalidImage: Image low was not built at its step "RUN make": the build of localhost/code-sandbox/low:1 failed: ' +
      "The command '/bin/sh -c make' returned a non-zero code: 2\n  cc: no such file",
  );
});

test('a base that is missing, a Containerfile that is, and a wrong architecture are each told', async () => {
  image('low');
  image('bare', {}, '');
  const missing = await building(['low'], fine, { base: 'nonesuch:1' });
  expect(missing.results[0]).toMatch(
    /^InvalidImage: The base nonesuch:1 is not there and cannot be pulled: .*manifest unknown.*--base local/,
  );
  const bare = await building(['bare'], fine);
  expect(bare.results[0]).toMatch(/^InvalidImage: Image bare has no Containerfile or Dockerfile in .*bare\.$/);
  const foreign = await building(['low'], fine, { architecture: 'arm64' });
  expect(foreign.results[0]).toMatch(/^InvalidImage: Image debian:12 is for arm64, but Docker .* runs on x64/);
  expect([missing, bare, foreign].flatMap(({ builds }) => builds)).toEqual([]);
});

test('an engine that says done and has no image is not believed', async () => {
  image('low');
  const { results } = await building(['low'], (_, query) => {
    query.set('t', 'elsewhere');
    return '{}\n';
  });
  expect(results[0]).toMatch(/^BackendUnavailable: .*has no such image/);
});
