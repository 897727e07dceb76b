// A process that owns sandboxes, for tests that kill it: `owner.mjs SOCKET KIND FOLDER WORK WEAK`, see owner-process.ts.
import { once } from 'node:events';
import { createCodeSandbox } from '../../dist/index.js';

const [socket, engine, folder, work, weak] = process.argv.slice(2);
const sandbox = await createCodeSandbox({
  order: 'engine',
  engine: { socket, engine, allowDegraded: weak === 'weak' },
  safety: { runAs: '0:0' },
  limits: { probeMs: 60_000 },
  warm: { max: work === 'waits' ? 1 : 0 },
});
// What is met from now on belongs to the run, and not to the proof that the first one with a network takes.
if (sandbox.available && work !== 'waits') await sandbox.proveNetwork();
console.log(sandbox.available ? 'ready' : sandbox.backend);
const goesOn = work === 'beats' || work === 'stdin';
if (!goesOn) await once(process.stdin, 'data');
const request = {
  cmd: 'sh',
  args: ['-c', goesOn ? 'echo on; while :; do date >> beats; sleep 0.1; done' : 'echo on'],
  // With stdin only the deadline ends it, which a test waits for.
  timeout: work === 'stdin' ? 8000 : 60_000,
  // None waits that has a network.
  policy: { fsRead: [], fsWrite: [folder], network: work === 'waits' ? 'deny' : 'allow' },
};
await sandbox.run(request, {
  onStdout: () => console.log('on'),
  ...(work === 'stdin' ? { stdin: process.stdin } : {}),
});
// Lives until it is killed, or whoever started it is gone.
process.stdin.resume();
