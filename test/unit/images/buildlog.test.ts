import { expect, test } from 'vitest';
import { BuildLog } from '../../../src/images/buildlog.js';

test('lines come whole, and a failure keeps the last step’s own output', () => {
  const lines: string[] = [];
  const log = new BuildLog(line => lines.push(line));
  for (const stream of [
    'Step 1/2 : FROM x\n',
    ' ---> abc\n',
    'Step 2/2 : RUN make\n ---> Running in 1\nfirst ',
    'line\nsecond\r\n',
    'last',
  ]) {
    log.push({ stream });
  }
  expect(lines).toEqual(['Step 1/2 : FROM x', 'Step 2/2 : RUN make', 'first line', 'second']);
  expect(log.failure()).toEqual({ step: 'RUN make', output: ['first line', 'second', 'last'] });
});

test('Podman’s steps are known as well, and endless output is cut to its end', () => {
  const log = new BuildLog(() => {});
  log.push({ stream: 'STEP 3/3: RUN yes\n' });
  for (let n = 0; n < 1000; n++) log.push({ stream: `${n}\n` });
  const { step, output } = log.failure();
  expect(step).toBe('RUN yes');
  expect(output).toHaveLength(30);
  expect(output.at(-1)).toBe('999');
});
