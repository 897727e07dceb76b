import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { encodeFrame } from '../../src/supervisor/frame.js';
import { identities, program, Supervised } from './harness.js';

const RUNS = 21;

test('time from frame to trailer is shown', async () => {
  const times: number[] = [];
  for (let i = 0; i < RUNS; i++) {
    const what = program(['/bin/true']);
    const supervised = new Supervised(identities[0]!);
    await new Promise(resolve => setTimeout(resolve, 20)); // it waits by now, as in a container started ahead
    const start = performance.now();
    supervised.onStdout = () => times.push(performance.now() - start);
    await supervised.send(encodeFrame(what)).outcome(what.nonce);
  }
  times.sort((a, b) => a - b);
  expect(times.length).toBe(RUNS);
  console.log(
    `frame to trailer of /bin/true: median ${times[RUNS >> 1]!.toFixed(2)} ms, best ${times[0]!.toFixed(2)} ms`,
  );
});
