import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EtcFiles } from '../../../../src/launcher/bwrap/files.js';
import { DEFAULT_LIMITS, planWith } from '../../engine/spec/plan.js';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'etc-files-'));
});
afterEach(() => rmSync(place, { recursive: true }));

test('are made once for each user and network, and again after a failure', async () => {
  const folder = join(place, 'files');
  const files = new EtcFiles(folder);
  const plan = planWith({ limits: DEFAULT_LIMITS });
  writeFileSync(folder, 'in the way');
  await expect(files.for(plan)).rejects.toThrow();
  rmSync(folder);
  const made = await files.for(plan);
  expect(statSync(join(made.filesDir, 'etc/passwd')).mode & 0o777).toBe(0o644);
  expect(await files.for(plan)).toBe(made);
  expect((await files.for({ ...plan, network: 'allow' })).filesDir).not.toBe(made.filesDir);
});
