import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { OwnEngine } from '../support/own-engine.js';
import { request, resultOf } from '../support/request.js';
import { configFor, type Target, targets } from '../support/targets.js';

const MiB = 1024 * 1024;
const BYTES = Number(process.env.LOAD_BYTES ?? 1e9);
const CAP_MIB = 10;
/** What an engine may write beside the output: its own records of one container. */
const RECORDS = 4 * MiB;

describe.each(targets)(`${BYTES / 1e9} GB of output: $name`, target => {
  test('memory grows by less than the cap and 30 MB, and nothing comes to the engine’s disk', async () => {
    await using engine = await own(target);
    await using sandbox = await createCodeSandbox(configFor(engine.target, { limits: { outputMiB: CAP_MIB } }));
    const write = (bytes: number) => request('head', ['-c', String(bytes), '/dev/zero'], { timeout: 900_000 });
    await resultOf(sandbox, write(50e6));
    const disk = engine.used();
    const rss = process.memoryUsage.rss();
    let [most, mostDisk] = [rss, disk];
    const look = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 20);
    const lookAtDisk = setInterval(() => {
      mostDisk = Math.max(mostDisk, engine.used());
    }, 1000);
    const started = performance.now();
    const result = await resultOf(sandbox, write(BYTES));
    const seconds = (performance.now() - started) / 1000;
    clearInterval(look);
    clearInterval(lookAtDisk);
    console.log(
      `${target.name}: ${(BYTES / 1e6 / seconds).toFixed(0)} MB/s, RSS ${((most - rss) / MiB).toFixed(1)} MiB more, disk ${mostDisk - disk} bytes more`,
    );
    expect(result).toMatchObject({ code: 0, truncated: true });
    expect(result.stdout).toHaveLength(CAP_MIB * MiB);
    expect(most - rss).toBeLessThan((CAP_MIB + 30) * MiB);
    expect(mostDisk - disk).toBeLessThan(RECORDS);
  });
});

/** An engine of the test's own, whose disk nobody else writes to; a backend without a daemon has no disk. */
async function own(target: Target): Promise<{ target: Target; used(): number } & AsyncDisposable> {
  if (!target.socket) return { target, used: () => 0, async [Symbol.asyncDispose]() {} };
  const engine = await OwnEngine.start(target);
  const used = () => {
    // Containers come and go meanwhile, which du complains about.
    const words = execFileSync('sh', ['-c', 'du -s --bytes "$1" 2>/dev/null || true', 'sh', join(engine.folder)]);
    return Number.parseInt(words.toString(), 10);
  };
  return { target: engine.target, used, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}
