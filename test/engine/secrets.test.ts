import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { shell } from '../support/request.js';
import { configFor } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Where Podman shows what the operator's mounts.conf names: on Red Hat's systems the host's subscription. */
describe.each(kinds.filter(({ kind }) => kind === 'podman'))('secrets of $name', like => {
  test('what is to be shown at /run/secrets is covered', async () => {
    using work = workspace();
    writeFileSync(`${work.path}/key`, 'secret');
    const containersConf = `volumes = ["${work.path}:/run/secrets:ro"]`;
    await using engine = await OwnEngine.start(like, { containersConf });
    const config = configFor(engine.target);
    await using sandbox = await createCodeSandbox(config);
    expect(sandbox.backend).toBe('podman');
    const { stdout } = await shell(sandbox, 'ls /run/secrets; cat /run/secrets/key 2>&1; touch /run/secrets/new 2>&1');
    expect(stdout).not.toMatch(/^key$|secret$/m);
    expect(stdout).toMatch(/No such file.*Read-only file system/s);
  });
});
