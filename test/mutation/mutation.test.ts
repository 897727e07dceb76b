import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { attacks } from '../attack/all.js';
import { ATTACKED, type Attack, applies, compileAttacks } from '../attack/attack.js';
import { configFor, type Target, targets } from '../support/targets.js';
import { mutations } from './all.js';
import { Mutant } from './mutant.js';
import type { Change, Mutation } from './mutation.js';

const inEffect = vi.hoisted((): { supervisor?: string | undefined; blind?: Change['blind'] } => ({}));

// The probe would find most of them by itself and refuse to run anything; here it is the attacks that are tested.
vi.mock('../../src/probe/probe.js', () => ({
  probe: async ({ backend }: { backend: { name: string } }) => {
    return { backend: backend.name, guarantees: [], interpreters: [], ok: true, degraded: false, durationMs: 0 };
  },
}));
vi.mock('../../src/supervisor/binary.js', async original => {
  const real = await original<typeof import('../../src/supervisor/binary.js')>();
  return { ...real, supervisorDir: (arch: string) => inEffect.supervisor ?? real.supervisorDir(arch) };
});
vi.mock('../../src/policy/links.js', async original => {
  const real = await original<typeof import('../../src/policy/links.js')>();
  const linkObjection: typeof real.linkObjection = (...args) => {
    return inEffect.blind === 'links' ? undefined : real.linkObjection(...args);
  };
  return { ...real, linkObjection };
});
vi.mock('../../src/policy/judge.js', async original => {
  const real = await original<typeof import('../../src/policy/judge.js')>();
  const objection: typeof real.objection = (...args) => {
    return inEffect.blind === 'objection' ? undefined : real.objection(...args);
  };
  return { ...real, objection };
});

vi.mock('../../src/sandbox/setid.js', async original => {
  const real = await original<typeof import('../../src/sandbox/setid.js')>();
  const stripSetIds: typeof real.stripSetIds = async (...args) => {
    return inEffect.blind === 'setid' ? [] : real.stripSetIds(...args);
  };
  return { ...real, stripSetIds };
});

const programs = compileAttacks();
afterAll(() => rmSync(programs, { recursive: true }));

/** All targets with `make mutate`, the first one otherwise. */
const columns = process.env.MUTATE === 'all' ? targets : targets.slice(0, 1);
const isRoot = process.getuid!() === 0;

function attackNamed(name: string): Attack {
  const found = Object.values(attacks)
    .flat()
    .find(attack => attack.name.startsWith(name));
  if (!found) throw new Error(`there is no attack ${name}`);
  return found;
}

function attacksOf({ notices, change, root }: Mutation, target: Target): Attack[] {
  if ((change.docker && !target.socket) || (root && !isRoot)) return [];
  return notices.map(attackNamed).filter(attack => applies(attack, target));
}

/** What became of the attacks under a change: undefined where one came to nothing, as it should. */
async function tried(target: Target, change: Change, list: Attack[]): Promise<Array<Error | undefined>> {
  using mutant = new Mutant(change);
  Object.assign(inEffect, { supervisor: mutant.supervisor, blind: change.blind });
  await using sandbox = await createCodeSandbox(configFor(target, ATTACKED));
  const outcomes = [];
  for (const attack of list)
    outcomes.push(await attack.run({ target, sandbox, programs }).then(() => undefined, asError));
  return outcomes;
}

const asError = (error: Error) => error;

/** Without each hardening option, the attacks that are mapped to it succeed. */
describe.each(columns)('mutations on $name', target => {
  test('nothing taken out, the supervisor built anew: no attack succeeds', { timeout: 180_000 }, async () => {
    const list = Object.values(mutations).flat();
    const all = [...new Set(list.flatMap(mutation => attacksOf(mutation, target)))];
    const outcomes = await tried(target, { source: [] }, all);
    expect(all.filter((_, index) => outcomes[index]).map(({ name }) => name)).toEqual([]);
  });

  for (const [where, list] of Object.entries(mutations)) {
    const noticed = list.filter(mutation => attacksOf(mutation, target).length > 0);
    if (noticed.length === 0) continue;
    describe(where, () => {
      for (const mutation of noticed) {
        test(`without: ${mutation.option}`, async () => {
          const noticing = attacksOf(mutation, target);
          const outcomes = await tried(target, mutation.change, noticing);
          const names = outcomes.map((error, n) => `${noticing[n]!.name}: ${error?.name ?? 'not noticed'}`);
          expect(names, outcomes.map(error => error?.message).join('\n')).toEqual(
            noticing.map(({ name }) => `${name}: AssertionError`),
          );
        });
      }
    });
  }
});
