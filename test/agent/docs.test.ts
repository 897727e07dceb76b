import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(`${root}/docs/agent.md`, 'utf8');
const examples = [...page.matchAll(/```ts\n(.*?)```\n\n```text\n(.*?)```/gs)].map(([, code = '', output = '']) => {
  return { code, output };
});
const engines = targets.filter(({ socket, weak }) => socket && !weak).slice(0, 1);

test('every example of the page says what it prints', () => {
  expect(examples).toHaveLength(page.match(/```ts/g)!.length);
});

describe.each(engines)('docs/agent.md on $name', ({ socket }) => {
  // In the package, so that it finds the package by its name, as it is built.
  let folder: string;
  beforeAll(() => {
    mkdirSync(`${root}/.cache`, { recursive: true });
    folder = mkdtempSync(`${root}/.cache/examples-`);
    const files = examples.map(({ code }, index) => {
      writeFileSync(`${folder}/${index}.mts`, code);
      return `${folder}/${index}.mts`;
    });
    const settings = [
      '--ignoreConfig',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--lib',
      'es2024,esnext.disposable',
    ];
    const args = [...settings, '--types', 'node', '--strict', '--skipLibCheck', ...files];
    execFileSync(`${root}/node_modules/.bin/tsc`, args, { stdio: 'inherit' });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.each(examples.map(({ output }, index) => ({ index, output })))('example $index', ({ index, output }) => {
    using project = workspace('project-');
    using data = workspace('data-');
    execFileSync('git', ['init', '-q', project.path]);
    const places = (text: string) => {
      return text.replaceAll('/srv/project', project.path).replaceAll('/srv/agent-data', data.path);
    };
    const file = `${folder}/${index}.mjs`;
    writeFileSync(file, places(readFileSync(file, 'utf8')));
    const env = { ...process.env, DOCKER_HOST: `unix://${socket}` };
    expect(execFileSync(process.execPath, [file], { env, encoding: 'utf8' })).toBe(places(output));
  });
});
