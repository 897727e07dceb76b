import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ArtifactsTarget } from '../../../src/cli/artifacts.js';
import { workspace } from '../../support/workspace.js';

test('a folder for artifacts that cannot be made is the request’s fault, and named', async () => {
  using work = workspace();
  writeFileSync(`${work.path}/file`, '');
  await expect(ArtifactsTarget.prepare(`${work.path}/file/out`)).rejects.toMatchObject({
    name: 'InvalidRequest',
    message: expect.stringMatching(/file\/out" \(--artifacts\) cannot be made: ENOTDIR/),
  });
});
