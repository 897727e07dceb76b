import { engineMutations } from './engine.js';
import { launcherMutations } from './launcher.js';
import type { Mutation } from './mutation.js';
import { policyMutations } from './policy.js';
import { seccompMutations } from './seccomp.js';
import { supervisorMutations } from './supervisor.js';

/** Every hardening option that is taken out, by where it is. */
export const mutations: Record<string, Mutation[]> = {
  'asked of the engine': engineMutations,
  'asked of the launchers': launcherMutations,
  'done by the supervisor': supervisorMutations,
  'the seccomp filter': seccompMutations,
  'the policy': policyMutations,
};
