import { Command } from 'commander';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { addRun } from '../../../src/cli/run.js';

const INSTEAD = 'nothing of the kind engine is usable (none was found), so code runs in crun 1.8';
const closed = { [Symbol.asyncDispose]: async () => {} };
const selection: { instead?: string } = {};

vi.mock('../../../src/sandbox/create.js', () => ({
  createCodeSandbox: async () => ({
    selection,
    run: async (_: unknown, { onStart }: { onStart(): void }) => {
      onStart();
      return { code: 0 };
    },
    ...closed,
  }),
}));
vi.mock('../../../src/agent/create.js', () => ({
  createAgentSandbox: async () => ({
    probe: async () => selection,
    start: async () => ({ wait: async () => ({ code: 0, warnings: [], omitted: [], artifacts: [] }) }),
    ...closed,
  }),
}));

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}));
afterEach(() => vi.restoreAllMocks());

async function told(instead: string | undefined, ...args: string[]): Promise<unknown[]> {
  if (instead === undefined) delete selection.instead;
  else selection.instead = instead;
  const program = new Command().enablePositionalOptions();
  addRun(program);
  await program.parseAsync(['run', ...args, '--', 'true'], { from: 'user' });
  return vi.mocked(console.error).mock.calls.flat();
}

test.each([[[]], [['--access', 'read-only']]])(
  'a backend that is not of the first kind is told, once and without -v: %j',
  async args => {
    expect(await told(INSTEAD, ...args)).toEqual([`code-sandbox: ${INSTEAD}`]);
  },
);

test('nothing is told of one that is, of one that the log tells, and where the host itself runs the program', async () => {
  expect(await told(undefined)).toEqual([]);
  expect(await told(INSTEAD, '-v')).toEqual([]);
  expect(await told(INSTEAD, '--access', 'danger-full-access')).toEqual([]);
});
