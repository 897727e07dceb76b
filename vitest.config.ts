import { defineConfig } from 'vitest/config';

/** Projects by what they need: `unit` needs nothing; the others need engines (`make engines`). */
export default defineConfig({
  test: {
    projects: [
      { test: { name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      {
        test: {
          name: 'engines',
          include: ['test/{contract,attack,e2e,fault,images}/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
