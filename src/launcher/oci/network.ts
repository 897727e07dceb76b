import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessService } from '../../aalis.js';
import { BackendUnavailable } from '../../sandbox/errors.js';

const VERSION_MS = 5000;
const READY_MS = 5000;
const COMMAND = 'slirp4netns';
/** The resolver that it is, inside its network. */
export const RESOLVER = 'nameserver 10.0.2.3\n';

/** Whether sandboxes can be given a network. */
export async function hasNetwork(process: ProcessService): Promise<boolean> {
  return process.execFile(COMMAND, ['--version'], { timeout: VERSION_MS }).then(
    () => true,
    () => false,
  );
}

/**
 * Gives a sandbox a network of its own: a user-mode stack whose other end is an ordinary process of the host. The host's
 * loopback is closed to it. It ends with its stdin, and so with this process.
 * @param pid of the sandbox, on the host
 * @returns ends it
 * @throws BackendUnavailable when it does not come up
 */
export async function joinNetwork(process: ProcessService, pid: number): Promise<() => void> {
  // A sandbox of its own needs uid 0, which a user namespace of an ordinary user does not map.
  const confined = globalThis.process.getuid?.() === 0 ? ['--enable-sandbox'] : [];
  const options = ['--configure', '--mtu=65520', '--disable-host-loopback', '--enable-seccomp', ...confined];
  const handle = process.spawn(COMMAND, [...options, '--ready-fd=1', '--exit-fd=0', String(pid), 'tap0']);
  let complaint = '';
  handle.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(-1000);
  });
  const ended = handle.wait().then(
    () => 'ended' as const,
    error => {
      complaint ||= String(error.message ?? error);
      return 'ended' as const;
    },
  );
  const ready = saysReady(handle.stdout!).then(() => 'ready' as const);
  const first = await Promise.race([ready, ended, sleep(READY_MS, 'late' as const, { ref: false })]);
  const end = () => {
    handle.stdin?.destroy();
    handle.kill('SIGKILL');
  };
  if (first === 'ready') return end;
  end();
  throw new BackendUnavailable(
    `${COMMAND} gave the sandbox no network${first === 'late' ? ` within ${READY_MS} ms` : `: ${complaint.trim() || 'it ended'}`}.`,
  );
}

/** What it says there of its own accord may come before the byte that it was told to write. */
function saysReady(stdout: Readable): Promise<void> {
  return new Promise(resolve => {
    let said = '';
    stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (/^1/m.test(said)) resolve();
    });
  });
}
