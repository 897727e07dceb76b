import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { Agent } from '../support/agent.js';
import { agentOn } from '../support/agent-on.js';
import { shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

function project(): { path: string } & Disposable {
  const work = workspace();
  execFileSync('git', ['init', '-q', work.path]);
  for (const name of ['.envrc', '.gitmodules', '.bashrc', 'sitecustomize.py', 'own.txt']) {
    writeFileSync(`${work.path}/${name}`, 'before');
  }
  for (const folder of ['.vscode', 'node_modules/.bin', 'lib/site-packages']) {
    mkdirSync(`${work.path}/${folder}`, { recursive: true });
  }
  writeFileSync(`${work.path}/lib/site-packages/x.pth`, 'before');
  return work;
}

describe.each(targets)('what the host would run later, on $name', target => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await agentOn(target);
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  test.each([
    'echo evil > .git/hooks/pre-commit',
    'echo evil >> .git/config',
    'rm -f .git/config',
    'mv .git .git2',
    'mv .git/hooks .git/hooks2',
    'rm -rf .git',
    'echo evil > .envrc',
    'rm -f .envrc',
    'mv own.txt .envrc',
    'ln -f own.txt .gitmodules',
    'mv .vscode x',
    'echo evil > .vscode/tasks.json',
    'echo evil > node_modules/.bin/tsc',
    'mv node_modules old',
    'mv lib old',
    "python3 -c \"import os; os.rename('lib/site-packages', 'old')\"",
    'echo evil > lib/site-packages/x.pth',
    'chmod +x .bashrc',
    "python3 -c \"open('sitecustomize.py', 'r+')\"",
  ])('%s fails', async script => {
    using work = project();
    const result = await agent.sh(work, script, { access: 'workspace-write' });
    expect(result.code).not.toBe(0);
    expect(readFileSync(`${work.path}/.envrc`, 'utf8')).toBe('before');
    expect(readFileSync(`${work.path}/lib/site-packages/x.pth`, 'utf8')).toBe('before');
    expect(result.planted).toBeUndefined();
  });

  test('the rest is writable, git works, and what is new is listed', async () => {
    using work = project();
    symlinkSync('own.txt', `${work.path}/.profile`);
    const script = `echo after > own.txt; echo x > node_modules/x.js; mkdir sub; echo evil > sub/.envrc
      ln -sf /etc/passwd .profile; mkdir .claude`;
    const result = await agent.sh(work, script, { access: 'workspace-write' });
    expect(result).toMatchObject({ code: 0, stderr: '' });
    expect(result.planted?.toSorted()).toEqual(
      ['.claude', '.profile', 'sub/.envrc'].map(name => `${work.path}/${name}`),
    );
  });

  test('a service has it as an option', async () => {
    using work = project();
    await using sandbox = await createCodeSandbox(configFor(target, { safety: { protect: true } }));
    const policy = { fsWrite: [work.path] };
    const result = await shell(sandbox, 'echo evil > .envrc; touch .npmrc', { policy });
    expect(result.planted).toEqual([`${work.path}/.npmrc`]);
    expect(readFileSync(`${work.path}/.envrc`, 'utf8')).toBe('before');
  });
});
