import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAgentSandbox } from '../../src/agent/create.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { packageFolder } from '../../src/supervisor/binary.js';
import { shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Puts programs of its own where the service's PATH begins, as in a virtual environment that was activated. */
const PLANT = `
mkdir bin
for name in rm chmod sh cat crun runc bwrap setpriv systemd-run slirp4netns podman docker conmon newuidmap npm node; do
  printf '#!/bin/sh\\necho "$0 $*" >>"%s/ran"\\nPATH=/usr/sbin:/usr/bin:/sbin:/bin exec %s "$@"\\n' "$PWD" $name >bin/$name
  chmod 755 bin/$name
done
`;

/** What this package starts on the host for itself is never what code left there. */
describe.each(targets)('programs of the host that are planted, on $name', target => {
  const { PATH } = process.env;
  let work: ReturnType<typeof workspace>;
  let data: ReturnType<typeof workspace>;
  beforeEach(() => {
    work = workspace();
    data = workspace();
  });
  afterEach(() => {
    process.env.PATH = PATH;
    work[Symbol.dispose]();
    data[Symbol.dispose]();
  });

  test('are not run by a service that goes on, nor by the next one', async () => {
    process.env.PATH = `${work.path}/bin:${PATH}`;
    const parts = { policy: { fsWrite: [work.path] } };
    for (const code of [PLANT, 'echo again']) {
      await using sandbox = await createCodeSandbox(configFor(target));
      expect(sandbox.backend).toBe(target.kind);
      await shell(sandbox, code, parts);
      await shell(sandbox, 'true', parts);
      await sandbox.prune();
    }
    await using agent = await createAgentSandbox({
      dataDir: data.path,
      config: configFor(target),
      mode: 'best-effort',
    });
    // What is to be removed takes `rm`, and `chmod` before it where it is closed.
    const closed = 'mkdir -p "$SCRATCH/x/y" && chmod 0 "$SCRATCH/x"';
    const request = { command: 'sh', argv: ['-c', closed], workspaceDir: work.path };
    expect(await agent.run({ ...request, access: 'workspace-write' })).toMatchObject({ code: 0 });
    expect(existsSync(`${work.path}/bin/rm`)).toBe(true);
    expect(existsSync(`${work.path}/ran`)).toBe(false);
  });

  test('cannot take the place of this package’s own, such as the supervisor', async () => {
    const own = packageFolder();
    await using sandbox = await createCodeSandbox(configFor(target));
    for (const folder of [own, dirname(own), join(own, 'init/bin'), '/usr/local/bin']) {
      const run = shell(sandbox, 'true', { policy: { fsWrite: [folder] } });
      await expect(run, folder).rejects.toMatchObject({ name: 'InvalidRequest', code: 'refused' });
    }
    const { stdout } = await shell(sandbox, 'ls init/bin; touch init/bin/x', { policy: { fsRead: [own] } });
    expect(stdout).toBe('arm64\nx64\n');
  });
});
