// A process that owns sandboxes, for tests that kill it: `owner.mjs SOCKET KIND FOLDER STDIN`.
import { createCodeSandbox } from '../../dist/index.js';

const [socket, engine, folder, stdin, weak] = process.argv.slice(2);
const sandbox = await createCodeSandbox({
  order: 'engine',
  engine: { socket, engine, allowDegraded: weak === 'weak' },
  warm: { max: 0 },
});
console.log(sandbox.available ? 'ready' : sandbox.backend);
const request = {
  cmd: 'sh',
  args: ['-c', 'echo on; while :; do date >> beats; sleep 0.1; done'],
  // With stdin only the deadline ends it, which a test waits for.
  timeout: stdin === 'stdin' ? 8000 : 60_000,
  policy: { fsRead: [], fsWrite: [folder], network: 'allow' },
};
await sandbox.run(request, {
  onStdout: () => console.log('on'),
  ...(stdin === 'stdin' ? { stdin: process.stdin } : {}),
});
