// A process that owns sandboxes without an engine, for tests that kill it: `launched-owner.mjs ORDER FOLDER STDIN WEAK`.
import { createCodeSandbox } from '../../dist/index.js';

const [order, folder, stdin, weak] = process.argv.slice(2);
const sandbox = await createCodeSandbox({ order, engine: { allowDegraded: weak === 'weak' }, warm: { max: 0 } });
const request = {
  cmd: 'sh',
  args: ['-c', 'echo on; while :; do date >> beats; sleep 0.1; done'],
  // With stdin only the deadline ends it, which a test waits for.
  timeout: stdin === 'stdin' ? 8000 : 60_000,
  policy: { fsRead: [], fsWrite: [folder], network: 'deny' },
};
await sandbox.run(request, {
  onStdout: () => console.log('on'),
  ...(stdin === 'stdin' ? { stdin: process.stdin } : {}),
});
