import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { attacks } from './all.js';
import { ATTACKED, applies, compileAttacks } from './attack.js';

const programs = compileAttacks();
afterAll(() => rmSync(programs, { recursive: true }));

/** Every guarantee, attacked from inside by real programs. */
describe.each(targets)('attacks on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, ATTACKED));
    expect(sandbox.backend).toBe(target.kind);
  });
  afterAll(async () => {
    await sandbox.close();
    expect(leftovers(target)).toEqual([]);
  });

  for (const [topic, list] of Object.entries(attacks)) {
    describe(topic, () => {
      for (const attack of list.filter(each => applies(each, target))) {
        test(attack.name, () => attack.run({ target, sandbox, programs }));
      }
    });
  }
});
