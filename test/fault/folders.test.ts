import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { EngineProxy } from '../support/proxy.js';
import { shell } from '../support/request.js';
import { configFor, leftovers } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Somebody exchanges a policy folder at the worst moment. */
describe.each(kinds)('a folder that changes between its check and the start: $name', like => {
  let engine: OwnEngine;
  let proxy: EngineProxy;
  let sandbox: CodeSandbox;

  beforeAll(async () => {
    engine = await OwnEngine.start(like);
    proxy = await EngineProxy.before(engine.socket);
    const target = { ...engine.target, socket: proxy.socket };
    sandbox = await createCodeSandbox(configFor(target, { warm: { max: 0 } }));
  });
  afterAll(async () => {
    await sandbox?.close();
    await proxy?.[Symbol.asyncDispose]();
    await engine?.[Symbol.asyncDispose]();
  });

  const STAGES = ['POST /containers/create', 'POST /containers/ID/attach', 'POST /containers/ID/start'];
  const changes: Array<[string, (folder: string, victim: string) => void]> = [
    ['swapped for a link to another folder', (folder, victim) => symlinkSync(victim, folder)],
    ['swapped for another folder', (folder, victim) => renameSync(victim, folder)],
    ['swapped for a file', folder => writeFileSync(folder, '')],
    ['removed', () => {}],
  ];

  test.each(changes)('%s: refused, and nothing of the other folder is read or written', async (_, change) => {
    for (const stage of STAGES) {
      using work = workspace();
      const [folder, victim, moved] = ['folder', 'victim', 'moved'].map(name => join(work.path, name)) as [
        string,
        string,
        string,
      ];
      mkdirSync(folder);
      mkdirSync(victim);
      writeFileSync(join(victim, 'secret'), 'secret');
      proxy.onCall = call => {
        if (call !== stage || existsSync(moved)) return;
        renameSync(folder, moved);
        change(folder, victim);
      };
      const run = shell(sandbox, 'cat secret; echo planted > secret', {
        policy: { fsWrite: [folder] },
        timeout: 100_000,
      });
      const outcome = await run.catch((error: Error) => error);
      proxy.onCall = () => undefined;
      if (outcome instanceof Error) expect(outcome.name, `${stage}: ${outcome.message}`).toBe('InvalidRequest');
      // The engine had mounted the right folder already, wherever that has gone.
      else {
        const written = join(moved, 'secret');
        expect(existsSync(written) && readFileSync(written, 'utf8'), `${stage}: ${JSON.stringify(outcome)}`).toBe(
          'planted\n',
        );
      }
      for (const place of [victim, folder]) {
        const secret = join(place, 'secret');
        if (existsSync(secret)) expect(readFileSync(secret, 'utf8')).toBe('secret');
      }
      expect(existsSync(folder) || stage, 'nothing was created on the host').toBe(
        change === changes[3]![1] ? stage : true,
      );
      rmSync(moved, { recursive: true });
    }
    await expect.poll(() => leftovers(engine.target), { timeout: 60_000 }).toEqual([]);
  });
});
