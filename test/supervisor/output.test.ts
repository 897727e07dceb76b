import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { encodeFrame } from '../../src/supervisor/frame.js';
import { TRAILER_SIZE } from '../../src/supervisor/trailer.js';
import { commandLine, compileProgram, identities, program, run } from './harness.js';

const flood = compileProgram('flood');

/** Runs it with real pipes, as engines have them, in a shell that does `pipeline` with them (`"$@"` is the supervisor). */
function throughShell(identity: 'root' | 'user', pipeline: string, argv: string[]) {
  const what = program(argv);
  const shell = spawn('bash', ['-c', pipeline, 'bash', ...commandLine(identity)], { stdio: 'pipe' });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  shell.stdout.on('data', chunk => stdout.push(chunk));
  shell.stderr.on('data', chunk => stderr.push(chunk));
  shell.stdin.on('error', () => {});
  shell.stdin.write(encodeFrame(what));
  return new Promise<{ stdout: Buffer; stderr: Buffer; nonce: Buffer; code: number | null }>(resolve =>
    shell.on('close', code =>
      resolve({ stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr), nonce: what.nonce, code }),
    ),
  );
}

describe.each(identities)('started by %s, the trailer', identity => {
  test('comes after all output, however much', async () => {
    const { stdout, stderr, trailer } = await run(identity, ['sh', '-c', 'head -c 3000000 /dev/zero; echo end >&2']);
    expect(stdout.length).toBe(3_000_000);
    expect(stderr).toBe('end\n');
    expect(trailer).toMatchObject({ kind: 'exited', code: 0 });
  });

  test('cannot be forged', async () => {
    const forged = String.raw`printf '0123456789abcdef\001\000\000\000\000\000\000\000\000\000\000\000'; exit 42`;
    const { stdout, trailer } = await run(identity, ['bash', '-c', forged]);
    expect(stdout.startsWith('0123456789abcdef')).toBe(true);
    expect(trailer).toMatchObject({ kind: 'exited', code: 42 });
  });

  test('comes through pipes that the program made non-blocking and filled', async () => {
    const { stdout, stderr, nonce } = await throughShell(
      identity,
      '"$@" 2> >(sleep 0.4; cat >&2) | { sleep 0.4; cat; }',
      [flood],
    );
    expect(stdout.indexOf(nonce)).toBe(stdout.length - TRAILER_SIZE);
    expect(stderr.indexOf(nonce)).toBe(0);
    expect(stdout.readUInt32LE(stdout.length - TRAILER_SIZE + 24) >> 8).toBe(3);
  });

  test('does not mind a reader that has gone', async () => {
    const { stderr, nonce, code } = await throughShell(identity, 'set -o pipefail; "$@" | true', ['sleep', '2']);
    expect(stderr.indexOf(nonce)).toBe(0);
    expect(code).toBe(0);
  });

  test('that nobody can hear leaves a code that is no success', async () => {
    const { stderr } = await throughShell(identity, '{ "$@" 2>&1; echo $? >&3; } 3>&2 | true', ['sleep', '0.2']);
    expect(stderr.toString()).toBe('124\n');
  });

  test('needs both streams from the start', async () => {
    expect((await throughShell(identity, '"$@" >&-', ['true'])).code).toBe(123);
    expect((await throughShell(identity, '"$@" 2>&-', ['true'])).code).toBe(123);
  });
});

test('the trailer gives up a stdout that nobody reads, and still comes on stderr', async () => {
  const { stderr, nonce } = await throughShell(identities[0]!, '"$@" | sleep 6.5', [flood]);
  expect(stderr.indexOf(nonce)).toBe(0);
  expect(stderr.length).toBe(TRAILER_SIZE);
});
