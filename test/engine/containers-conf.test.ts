import { describe, expect, test } from 'vitest';
import { Listeners } from '../../src/probe/listeners.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { python, request, resultOf } from '../support/request.js';
import { configFor } from '../support/targets.js';

/** What the operator's containers.conf adds to every container of Podman. */
describe.each(kinds.filter(({ kind }) => kind === 'podman'))('containers.conf of $name', like => {
  test('a mount that it adds fails the probe, which names it', async () => {
    await using engine = await OwnEngine.start(like, { containersConf: 'volumes = ["/etc:/extra:ro"]' });
    await using sandbox = await createCodeSandbox(configFor(engine.target));
    expect(sandbox.available).toBe(false);
    expect(sandbox.backend).toContain('/extra');
    await expect(resultOf(sandbox, request('true', []))).rejects.toMatchObject({ name: 'BackendUnavailable' });
  });

  test('variables that it adds reach no program', async () => {
    await using engine = await OwnEngine.start(like, { containersConf: 'env = ["LEAK=operator", "LD_PRELOAD=/x"]' });
    await using sandbox = await createCodeSandbox(configFor(engine.target));
    const { stdout } = await resultOf(sandbox, request('sh', ['-c', 'env; cat /proc/1/environ || echo closed']));
    expect(stdout).not.toMatch(/LEAK|LD_PRELOAD/);
    expect(stdout).toContain('closed');
  });

  test('the host’s loopback, which it opens to user-mode stacks, stays closed', async () => {
    // Of slirp4netns, and of pasta.
    const engineConf = 'network_cmd_options = ["allow_host_loopback=true"]';
    const networkConf = 'pasta_options = ["--map-gw"]';
    await using engine = await OwnEngine.start(like, { engineConf, networkConf });
    await using sandbox = await createCodeSandbox(configFor(engine.target));
    await using listeners = await Listeners.open(engine.folder, true);
    const ways = listeners.targets.flatMap(target => /^tcp=(.*)$/.exec(target)?.[1] ?? []);
    const code = `import socket
for where in ${JSON.stringify(ways)}:
    host, _, port = where.partition(':')
    try: socket.create_connection((host, int(port)), 2)
    except OSError: pass`;
    await python(sandbox, code, { policy: { network: 'allow' } });
    expect(listeners.loopbackMet).toBe(false);
  });
});
