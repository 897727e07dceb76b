import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A busy machine is no failure: what hangs is still found. */
const patient = { expect: { poll: { timeout: 30_000 } } };

const MOCKED = 'test/unit/**/*.mocked.test.ts';

/**
 * Projects by what they need: `unit` needs nothing; the others need engines (`make engines`). Their files share a process
 * (`isolate`), as runs do in a service: loading the same modules for each takes longer than many of the tests.
 */
export default defineConfig({
  test: {
    // Vitest leaves one core free, which is half of two.
    maxWorkers: availableParallelism(),
    projects: [
      {
        test: {
          ...patient,
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [MOCKED],
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      // Those that put others in the place of modules: each by itself.
      { test: { ...patient, name: 'unit-mocked', include: [MOCKED], testTimeout: 60_000 } },
      // The real supervisor, in process namespaces of its own: needs unshare(1) and gcc, no engine.
      {
        test: {
          ...patient,
          name: 'supervisor',
          include: ['test/supervisor/**/*.test.ts'],
          testTimeout: 60_000,
          // After the engines' in one call, which take one worker: Vitest wants that to be said.
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...patient,
          name: 'engines',
          include: ['test/{agent,attack,contract,e2e,fault,field,property}/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          isolate: false,
        },
      },
      // Engines of the tests' own, which they kill: by themselves, so that `make test` can run them apart.
      {
        test: {
          ...patient,
          name: 'own-engines',
          include: ['test/engine/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          isolate: false,
        },
      },
      // Needs the interpreter images (`make images`).
      {
        test: {
          ...patient,
          name: 'images',
          include: ['test/images/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      // Many runs at once, and much output: LOAD_RUNS and LOAD_BYTES say how many and how much.
      {
        test: {
          ...patient,
          name: 'load',
          include: ['test/load/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      // Takes one hardening option out at a time and expects attacks to succeed: one target, all with `make mutate`.
      {
        test: {
          ...patient,
          name: 'mutation',
          include: ['test/mutation/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
