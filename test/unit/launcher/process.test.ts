import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createLocalProcess } from '../../../src/launcher/process.js';

const { spawn, execFile } = createLocalProcess();
const node = (code: string) => ['-e', code];

describe('createLocalProcess', () => {
  it('gives the output of a command as it is, and passes arguments without a shell', async () => {
    const result = await execFile('printf', ['%s|', '$HOME; *', 'a b', '']);
    expect(result).toEqual({ code: 0, signal: null, stdout: '$HOME; *|a b||', stderr: '' });
    expect((await execFile('printf', ['x\\n'])).stdout).toBe('x\n');
  });

  it('rejects with the result when the command fails', async () => {
    const failure = execFile(process.execPath, node('console.error("why"); process.exit(3)'));
    await expect(failure).rejects.toThrow(/exited with 3: why/);
    await expect(failure).rejects.toMatchObject({ result: { code: 3, signal: null, stderr: 'why\n' } });
  });

  it('rejects without a result when there is no such command', async () => {
    const failure = execFile('no-such-command-here', []);
    await expect(failure).rejects.toMatchObject({ code: 'ENOENT' });
    await expect(failure).rejects.not.toHaveProperty('result');
    expect(spawn('no-such-command-here', []).pid).toBeUndefined();
    const tooLong = ['x'.repeat(1_000_000)];
    await expect(execFile('true', tooLong)).rejects.toMatchObject({ code: 'E2BIG' });
    expect(spawn('true', tooLong).pid).toBeUndefined();
  });

  it('ends what runs past the timeout by SIGKILL', async () => {
    const failure = execFile('sh', ['-c', 'trap "" TERM; echo before; exec sleep 60'], { timeout: 2000 });
    await expect(failure).rejects.toMatchObject({ result: { code: null, signal: 'SIGKILL', stdout: 'before\n' } });
  });

  it('waits past the timeout for nobody who holds the streams open', async () => {
    const failure = execFile('sh', ['-c', 'echo before; sleep 20 & sleep 20'], { timeout: 2000 });
    const started = performance.now();
    await expect(failure).rejects.toMatchObject({ result: { code: null, signal: 'SIGKILL', stdout: 'before\n' } });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('drops what is too much and lets the command end by itself', async () => {
    const code = 'process.stdout.write("x".repeat(300_000), () => process.exit(5))';
    const result = await spawn(process.execPath, node(code), { maxBuffer: 1000 }).wait();
    expect(result).toEqual({ code: 5, signal: null, stdout: 'x'.repeat(1000), stderr: '', truncated: true });
    const exact = await execFile('printf', ['1234'], { maxBuffer: 4 });
    expect(exact).toEqual({ code: 0, signal: null, stdout: '1234', stderr: '' });
  });

  it('lays the environment over its own', async () => {
    const env = { CODE_SANDBOX_TEST: 'a=b\nc', HOME: undefined };
    const { stdout } = await execFile(
      process.execPath,
      node('console.log(JSON.stringify([process.env.CODE_SANDBOX_TEST, process.env.HOME, !!process.env.PATH]))'),
      { env },
    );
    expect(JSON.parse(stdout)).toEqual(['a=b\nc', null, true]);
  });

  it('gives the input, and an empty one where there is none', async () => {
    expect((await execFile('cat', [], { input: 'in' })).stdout).toBe('in');
    expect((await execFile('cat', [])).stdout).toBe('');
    expect((await execFile('true', [], { input: 'x'.repeat(1_000_000) })).code).toBe(0);
  });

  it('hands out a process to be read, signalled and waited for', async () => {
    const handle = spawn('sh', ['-c', 'echo ready; exec sleep 60']);
    expect(handle.pid).toBeGreaterThan(0);
    const [chunk] = await once(handle.stdout!, 'data');
    expect(String(chunk)).toBe('ready\n');
    expect(handle.kill()).toBe(true);
    expect(await handle.wait()).toMatchObject({ code: null, signal: 'SIGTERM' });
  });

  it('has no streams when they are ignored', async () => {
    const handle = spawn('sh', ['-c', 'echo lost'], { stdio: 'ignore' });
    expect([handle.stdin, handle.stdout, handle.stderr]).toEqual([null, null, null]);
    expect(await handle.wait()).toEqual({ code: 0, signal: null, stdout: '', stderr: '' });
  });
});
