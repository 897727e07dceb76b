import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformWithOxc } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const page = readFileSync(new URL('../../docs/agent.md', import.meta.url), 'utf8');
const cache = fileURLToPath(new URL('../../.cache/', import.meta.url));
const examples = [...page.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code = '', output = '']) => {
  return { code, output };
});
const engine = targets.find(({ socket, weak }) => socket && !weak);

test('every example of the page says what it prints', () => {
  expect(examples).toHaveLength(page.match(/```ts/g)!.length);
});

describe.skipIf(!engine)('docs/agent.md', () => {
  // In the package, so that it finds the package by its name, as it is built.
  let folder: string;
  beforeAll(() => {
    mkdirSync(cache, { recursive: true });
    folder = mkdtempSync(`${cache}examples-`);
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(examples)('example %#', async ({ code, output }) => {
    using project = workspace('project-');
    using data = workspace('data-');
    execFileSync('git', ['init', '-q', project.path]);
    const places = (text: string) => {
      return text.replaceAll('/srv/project', project.path).replaceAll('/srv/agent-data', data.path);
    };
    const file = `${folder}/example.mjs`;
    writeFileSync(file, (await transformWithOxc(places(code), 'example.ts', { target: 'node22' })).code);
    const env = { ...process.env, DOCKER_HOST: `unix://${engine!.socket}` };
    expect(execFileSync(process.execPath, [file], { env, encoding: 'utf8' })).toBe(places(output));
  });
});
