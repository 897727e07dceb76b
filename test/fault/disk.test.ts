import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { kinds, OwnEngine } from '../support/own-engine.js';
import { python, shell } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';
import { smallDisk } from './loop.js';

const MiB = 1024 * 1024;
const isRoot = process.getuid!() === 0;

describe.each(targets)('the disk on $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target, { limits: { fileMiB: 8, diskFloorMiB: 40 } }));
  });
  afterAll(() => sandbox.close());

  test('a file larger than the bound is refused to the program', async () => {
    using work = workspace();
    const code = `import errno
try: open('large', 'wb').write(bytes(9 << 20))
except OSError as error: print(errno.errorcode[error.errno])`;
    const result = await python(sandbox, code, { policy: { fsWrite: [work.path] } });
    expect(result).toMatchObject({ code: 0, stdout: 'EFBIG\n' });
    expect(statSync(join(work.path, 'large')).size).toBeLessThanOrEqual(8 * MiB);
  });

  test.runIf(isRoot)('a run that leaves less than the floor is ended, and says why', async () => {
    using disk = smallDisk(80);
    const fill = 'echo on; n=0; while :; do head -c 1000000 /dev/zero > f$n; n=$((n+1)); sleep 0.1; done';
    const result = await shell(sandbox, fill, { policy: { fsWrite: [disk.path] }, timeout: 60_000 });
    expect(result).toMatchObject({ end: 'disk', code: null, signal: 'SIGTERM', timedOut: false, stdout: 'on\n' });
    expect(result.stderr).toMatch(/less than 40 MiB were left on the disk of "\/.*limits\.diskFloorMiB/);
    const { bavail, bsize } = statfsSync(disk.path);
    expect(bavail * bsize).toBeGreaterThan(10 * MiB);
  });

  test.runIf(isRoot)('where there is enough, nothing happens', async () => {
    using disk = smallDisk(120);
    const result = await shell(sandbox, 'head -c 1000000 /dev/zero > f; sleep 0.5', {
      policy: { fsWrite: [disk.path] },
    });
    expect(result).toMatchObject({ code: 0, end: 'exit' });
  });
});

describe.runIf(isRoot).each(kinds)('an engine whose disk is full: $name', like => {
  test('a typed error, and the next run works when there is room again', { timeout: 120_000 }, async () => {
    using disk = smallDisk(150);
    const storage = join(disk.path, 'storage');
    mkdirSync(storage);
    await using engine = await OwnEngine.start(like, { storage });
    await using sandbox = await createCodeSandbox(configFor(engine.target, { warm: { max: 0 } }));
    expect((await shell(sandbox, 'echo before')).stdout).toBe('before\n');
    fill(disk.path);
    for (let n = 0; n < 3; n++) {
      const outcome = await shell(sandbox, 'echo full').catch((error: Error) => error);
      // Docker needs almost nothing on its disk for a container.
      if (outcome instanceof Error) expect(outcome).toMatchObject({ name: 'BackendUnavailable' });
      else expect(outcome.stdout).toBe('full\n');
    }
    rmSync(join(disk.path, 'ballast'), { recursive: true });
    expect((await shell(sandbox, 'echo after')).stdout).toBe('after\n');
  });
});

/** Down to the last block and inode. */
function fill(folder: string): void {
  const ballast = join(folder, 'ballast');
  mkdirSync(ballast);
  const write = `dd if=/dev/zero of=${ballast}/zeros bs=64k 2>/dev/null; dd if=/dev/zero of=${ballast}/rest bs=512 2>/dev/null; true`;
  execFileSync('sh', ['-c', write]);
}
