import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** `dist` of the package as an operator installed it. */
const installed = process.env.CODE_SANDBOX_DIST;
if (!installed || !existsSync(installed)) throw new Error('CODE_SANDBOX_DIST must name dist/ of the installed package');

/** The suites, unchanged, against the installed package: what they import from src/ is taken from there. */
const ofPackage = {
  name: 'of-package',
  enforce: 'pre' as const,
  resolveId(id: string, importer?: string) {
    if (!importer || !id.startsWith('.')) return;
    const path = relative(join(root, 'src'), resolve(dirname(importer), id));
    return path.startsWith('..') ? undefined : { id: join(installed, path), external: true };
  },
};

/** For the virtual machine. An emulated processor is slow, so nothing here is told by the clock. */
export default defineConfig({
  root,
  plugins: [ofPackage],
  test: {
    include: ['test/{vm,contract,attack}/**/*.test.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    fileParallelism: false,
    // An emulated processor loads the package slowly: once, and not for each file.
    isolate: false,
  },
});
