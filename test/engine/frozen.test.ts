import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { EngineBackend } from '../../src/engine/backend.js';
import { EngineClient } from '../../src/engine/client.js';
import { inspectContainer } from '../../src/engine/containers.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { shell } from '../support/request.js';
import { configFor } from '../support/targets.js';

const ETC = fileURLToPath(new URL('../../init/etc', import.meta.url));
/** For the freezing, before the supervisor would end by itself; a real one waits for two minutes. */
const IDLE_SECONDS = 10;
/** Podman's exit code for a container that its own `timeout` has ended. */
const TIMED_OUT = -1;

test.each(kinds.filter(({ kind }) => kind === 'podman'))(
  'a supervisor that is frozen is ended by Podman itself: $name',
  async like => {
    await using engine = await OwnEngine.start(like);
    await using sandbox = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
    const open = vi.spyOn(sandbox.selection.backend!, 'open');
    await shell(sandbox, 'true');
    const [plan] = open.mock.calls[0]!;

    const client = await EngineClient.connect({ socketPath: engine.socket });
    const of = { instance: 'feed', owner: currentOwner(), etcDir: ETC, idleSeconds: IDLE_SECONDS };
    const backend = await EngineBackend.over(client, of);
    const { id } = await backend.open({ ...plan, limits: { ...plan.limits, timeoutMs: 1000 } });
    const { pid } = (await inspectContainer(client, id))!;
    process.kill(pid, 'SIGSTOP');
    await expect
      .poll(() => inspectContainer(client, id), { timeout: 90_000, interval: 500 })
      .toMatchObject({ running: false, exitCode: TIMED_OUT });
    await backend.close();
  },
);
