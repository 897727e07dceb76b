import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodeSandbox } from '../sandbox/service.js';
import { type CatalogImage, lineage } from './catalog.js';
import type { SmokeTest } from './manifest.js';
import type { Finding } from './report.js';
import { outcomeOf } from './trial.js';

/** Runs an image's smoke tests, those of what it extends first, each in a folder of its own. */
export async function smokeTests(sandbox: CodeSandbox, image: CatalogImage, uid?: number): Promise<Finding[]> {
  const family = lineage(image);
  const interpreters = family.flatMap(({ manifest }) => manifest.interpreters);
  const findings: Finding[] = [];
  for (const test of family.flatMap(({ manifest }) => manifest.smoke)) {
    const extension = interpreters.findLast(({ command }) => command === test.command)?.extensions[0] ?? '';
    findings.push(await smokeTest(sandbox, test, extension, uid));
  }
  return findings;
}

async function smokeTest(sandbox: CodeSandbox, test: SmokeTest, extension: string, uid?: number): Promise<Finding> {
  const folder = await mkdtemp(join(tmpdir(), 'code-sandbox-smoke-'));
  try {
    const script = join(folder, `smoke${extension}`);
    await writeFile(script, test.script);
    if (uid !== undefined) for (const path of [script, folder]) await chown(path, uid, uid);
    const outcome = await outcomeOf(sandbox, { cmd: test.command, args: [...test.args, script], folder });
    const differs = [
      outcome.trouble,
      outcome.code === 0 && outcome.stdout !== test.expect
        ? `stdout is ${JSON.stringify(outcome.stdout)}, expected ${JSON.stringify(test.expect)}`
        : '',
      outcome.code === 0 && outcome.stderr !== '' ? `stderr is not empty: ${outcome.stderr.trim()}` : '',
    ].filter(Boolean);
    return { title: `${test.command}: ${test.name}`, ok: differs.length === 0, detail: differs.join('; ') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
