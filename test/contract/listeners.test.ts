import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, renameSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const LISTEN = `
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
print('on', flush=True)
time.sleep(60)`;

/** A program of the host that listens at a path; killed at the end of the scope. */
async function listener(path: string, cwd: string): Promise<ChildProcess & AsyncDisposable> {
  const child = spawn('python3', ['-c', LISTEN, path], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  const end = async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  return Object.assign(child, { [Symbol.asyncDispose]: end });
}

/** Guarantee 5: what the kernel's table of sockets does not tell at once is found all the same. */
describe.each(targets)('a folder in which somebody listens, on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target));
  });
  afterAll(() => sandbox.close());
  const refused = (folder: string) =>
    expect(shell(sandbox, 'true', { policy: { fsWrite: [folder] } })).rejects.toThrow(/holds the socket ".*\.sock"/);

  test('by a path that is relative to a folder below', async () => {
    using work = workspace();
    mkdirSync(`${work.path}/app`);
    await using _ = await listener('app.sock', `${work.path}/app`);
    await refused(work.path);
  });

  test('under a name that it had not when it was bound', async () => {
    using work = workspace();
    mkdirSync(`${work.path}/old`);
    await using _ = await listener(`${work.path}/old/first.sock`, work.path);
    renameSync(`${work.path}/old`, `${work.path}/new`);
    renameSync(`${work.path}/new/first.sock`, `${work.path}/new/second.sock`);
    await refused(work.path);
  });

  test('in another network namespace, as another run does; not once that is over', async () => {
    using work = workspace();
    const policy = { fsWrite: [work.path] };
    const begun = Promise.withResolvers<void>();
    const ending = new AbortController();
    const run = python(
      sandbox,
      LISTEN.replace('sys.argv[1]', '"other.sock"'),
      { policy },
      {
        onStdout: () => begun.resolve(),
        signal: ending.signal,
      },
    ).catch((error: Error) => error);
    await Promise.race([begun.promise, run]);
    await refused(work.path);
    ending.abort();
    await run;
    expect((await shell(sandbox, 'ls', { policy })).stdout).toBe('other.sock\n');
  });
});
