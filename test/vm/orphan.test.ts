import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { sizeOf } from '../support/growth.js';
import { shell } from '../support/request.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const OWNER = `
const { createCodeSandbox } = await import(process.env.CODE_SANDBOX_DIST + '/index.js');
const [config, folder] = JSON.parse(process.argv[1]);
const sandbox = await createCodeSandbox(config);
const code = 'trap "" HUP TERM; while :; do printf . >>heartbeat; sleep 0.1; done';
await sandbox.run({ cmd: 'sh', args: ['-c', code], timeout: 3_000_000, policy: { fsRead: [], fsWrite: [folder], network: 'deny' } });
`;

/** Waits for something to become true; an emulated machine takes its time. */
async function until(condition: () => boolean | Promise<boolean>, what: string, most = 40): Promise<void> {
  for (let tries = 0; !(await condition()); tries++) {
    expect(tries, what).toBeLessThan(most);
    await sleep(500);
  }
}

describe.each(targets)('an owner that is killed, on $name', target => {
  test('its program ends at once, its container goes with the next start, another owner’s run goes on', async () => {
    using work = workspace();
    const heartbeat = `${work.path}/heartbeat`;
    const config = configFor(target);
    await using bystander = await createCodeSandbox(config);
    const owner = spawn(process.execPath, ['--input-type=module', '-e', OWNER, JSON.stringify([config, work.path])], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    await until(() => sizeOf(heartbeat) > 3, 'the program is at work');
    const other = shell(bystander, 'sleep 10; echo unharmed', { timeout: 120_000 });
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    // By the end of its connection, well before the bystander's next sweep would do it.
    await until(
      async () => {
        const before = sizeOf(heartbeat);
        await sleep(2000);
        return sizeOf(heartbeat) === before;
      },
      'the program is ended',
      10,
    );
    await bystander.prune();
    expect(await other).toMatchObject({ code: 0, stdout: 'unharmed\n' });
    await bystander.close();
    expect(leftovers(target)).toEqual([]);
  });
});
