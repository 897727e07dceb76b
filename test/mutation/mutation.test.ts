import { rmSync } from 'node:fs';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { attacks } from '../attack/all.js';
import { ATTACKED, type Attack, applies, compileAttacks } from '../attack/attack.js';
import { configFor, type Target, targets } from '../support/targets.js';
import { mutations } from './all.js';
import { engineMutations } from './engine.js';
import { launcherMutations } from './launcher.js';
import { Mutant, optionsOf } from './mutant.js';
import { type Change, isFor, type Mutation } from './mutation.js';

const inEffect = vi.hoisted((): { supervisor?: string | undefined; change: Change } => ({ change: {} }));

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
    return inEffect.change.blind === 'links' ? undefined : real.linkObjection(...args);
  };
  return { ...real, linkObjection };
});
vi.mock('../../src/policy/judge.js', async original => {
  const real = await original<typeof import('../../src/policy/judge.js')>();
  const objection: typeof real.objection = (...args) => {
    return inEffect.change.blind === 'objection' ? undefined : real.objection(...args);
  };
  const socketObjection: typeof real.socketObjection = (...args) => {
    return inEffect.change.blind === 'objection' ? undefined : real.socketObjection(...args);
  };
  return { ...real, objection, socketObjection };
});

vi.mock('../../src/launcher/bwrap/arguments.js', async original => {
  const real = await original<typeof import('../../src/launcher/bwrap/arguments.js')>();
  const bwrapArguments: typeof real.bwrapArguments = input => {
    const { bwrap } = inEffect.change;
    const args = real.bwrapArguments(input);
    return bwrap ? optionsOf(args).flatMap(bwrap).flat() : args;
  };
  return { ...real, bwrapArguments };
});
vi.mock('../../src/launcher/oci/spec.js', async original => {
  const real = await original<typeof import('../../src/launcher/oci/spec.js')>();
  const runtimeConfig: typeof real.runtimeConfig = input => {
    const config = structuredClone(real.runtimeConfig(input));
    inEffect.change.oci?.(config);
    return config;
  };
  return { ...real, runtimeConfig };
});
vi.mock('../../src/launcher/limits/settings.js', async original => {
  const real = await original<typeof import('../../src/launcher/limits/settings.js')>();
  const settingsV1: typeof real.settingsV1 = (controller, limits) => {
    return real.settingsV1(controller, { ...limits, ...inEffect.change.limits });
  };
  const settingsV2: typeof real.settingsV2 = limits => real.settingsV2({ ...limits, ...inEffect.change.limits });
  const scopeProperties: typeof real.scopeProperties = (limits, extra) => {
    return real.scopeProperties({ ...limits, ...inEffect.change.limits }, extra);
  };
  return { ...real, settingsV1, settingsV2, scopeProperties };
});
vi.mock('../../src/sandbox/setid.js', async original => {
  const real = await original<typeof import('../../src/sandbox/setid.js')>();
  const stripSetIds: typeof real.stripSetIds = async (...args) => {
    return inEffect.change.blind === 'setid' ? [] : real.stripSetIds(...args);
  };
  return { ...real, stripSetIds };
});

const programs = compileAttacks();
afterAll(() => rmSync(programs, { recursive: true }));

const isRoot = process.getuid!() === 0;

function attackNamed(name: string): Attack {
  const found = Object.values(attacks)
    .flat()
    .find(attack => attack.name.startsWith(name));
  if (!found) throw new Error(`there is no attack ${name}`);
  return found;
}

function attacksOf({ notices, change, root }: Mutation, target: Target): Attack[] {
  if (!isFor(change, target.kind) || (root && !isRoot)) return [];
  return notices.map(attackNamed).filter(attack => applies(attack, target));
}

/** The quickest: what is no engine's own is taken out there. */
const quick = targets.find(({ kind }) => kind === 'oci') ?? targets[0]!;

/** Everywhere with `make mutate`; otherwise once, but what is asked of launchers on each of them. */
function isOn(target: Target, mutation: Mutation): boolean {
  if (attacksOf(mutation, target).length === 0) return false;
  if (process.env.MUTATE === 'all' || launcherMutations.includes(mutation)) return true;
  const engines = engineMutations.includes(mutation) || attacksOf(mutation, quick).length === 0;
  return target === (engines ? targets[0] : quick);
}

function sectionsOn(target: Target): Array<[where: string, Mutation[]]> {
  return Object.entries(mutations)
    .map(([where, list]): [string, Mutation[]] => [where, list.filter(each => isOn(target, each))])
    .filter(([, list]) => list.length > 0);
}

/** What became of the attacks under a change: undefined where one came to nothing, as it should. */
async function tried(target: Target, change: Change, list: Attack[]): Promise<Array<Error | undefined>> {
  using mutant = new Mutant(change);
  Object.assign(inEffect, { supervisor: mutant.supervisor, change });
  await using sandbox = await createCodeSandbox(configFor(target, ATTACKED));
  const outcomes = [];
  for (const attack of list)
    outcomes.push(await attack.run({ target, sandbox, programs }).then(() => undefined, asError));
  return outcomes;
}

const asError = (error: Error) => error;

/** Without each hardening option, the attacks that are mapped to it succeed. */
describe.each(targets.filter(target => sectionsOn(target).length > 0))('mutations on $name', target => {
  test('nothing taken out, the supervisor built anew: no attack succeeds', { timeout: 180_000 }, async () => {
    const list = sectionsOn(target).flatMap(([, each]) => each);
    const all = [...new Set(list.flatMap(mutation => attacksOf(mutation, target)))];
    const outcomes = await tried(target, { source: [] }, all);
    expect(all.filter((_, index) => outcomes[index]).map(({ name }) => name)).toEqual([]);
  });

  for (const [where, list] of sectionsOn(target)) {
    describe(where, () => {
      for (const mutation of list) {
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
