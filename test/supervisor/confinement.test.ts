import { copyFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseNumbers } from '../../src/hardening/seccomp-header.js';
import { profile } from '../../src/hardening/seccomp-profile.js';
import { ERRNO } from '../../src/hardening/seccomp-rule.js';
import { compileProgram, identities, openFolder, run } from './harness.js';

const attempt = compileProgram('attempt');
const foreign = compileProgram('foreign');
const threads = compileProgram('threads');
const table = new URL(`../../init/syscalls/${process.arch}.txt`, import.meta.url);
const numbers = parseNumbers(readFileSync(table, 'utf8'));

describe.each(identities)('started by %s, a program', identity => {
  /** Errno of each call in turn. */
  async function errnos(calls: Array<[name: string, ...args: number[]]>): Promise<number[]> {
    const argv = calls.map(([name, ...args]) => [numbers.get(name), ...args].join(':'));
    const { stdout, trailer } = await run(identity, [attempt, ...argv]);
    expect(trailer).toMatchObject({ kind: 'exited', code: 0 });
    return stdout.trim().split('\n').map(Number);
  }

  test('is refused every call of every refused group', async () => {
    for (const { calls, answer, reason } of profile.refused) {
      const known = calls.filter(name => numbers.has(name));
      const got = await errnos(known.map(name => [name]));
      expect(got, reason).toEqual(known.map(() => ERRNO[answer]));
    }
  });

  test('is refused what the rules refuse', async () => {
    const { EPERM, EAFNOSUPPORT, ENOSYS } = ERRNO;
    expect(
      await errnos([
        ['socket', 1, 1, 0],
        ['socket', 2, 1, 0],
        ['socket', 16, 3, 0],
        ...[16, 17, 38, 40, 31, 21].map((family): [string, ...number[]] => ['socket', family, 3, 4]),
        ['clone', 0x10000011],
        ['clone', 0x20000011],
        ['fchmod', 1, 0o4755],
        ['fcntl', 0, 1024, 1],
        ['ioctl', 0, 0x5412],
        ['personality', 0x40000],
      ]),
    ).toEqual([0, 0, 0, ...Array(6).fill(EAFNOSUPPORT), ...Array(6).fill(EPERM)]);
    const { stdout } = await run(identity, [attempt, `${0x40000000 + 39}`, '5000', `${0xffffffff}`]);
    expect(stdout).toBe(`${ENOSYS}\n`.repeat(3));
  });

  test('is killed where it calls the way another architecture does', async () => {
    const { trailer, stdout } = await run(identity, [foreign]);
    const SIGSYS = 31;
    expect(stdout).toBe('');
    if (process.arch === 'x64') expect(trailer).toMatchObject({ kind: 'exited', code: null, signal: SIGSYS });
  });

  test('makes no setuid or setgid file', async () => {
    const folder = openFolder();
    const script = `cd ${folder}; umask 0; cp /bin/true a; chmod 4755 a; chmod 2755 a; install -m 6755 /bin/true b;
      mkdir d; chmod g+s d; cp /bin/true c; chmod 1755 c`;
    await run(identity, ['sh', '-c', script]);
    for (const name of ['a', 'c', 'd']) expect(statSync(join(folder, name)).mode & 0o6000, name).toBe(0);
    expect(statSync(join(folder, 'c')).mode & 0o7777).toBe(0o1755);
  });

  test('has no capability, no new privileges, one filter, three descriptors and its own session', async () => {
    const { stdout } = await run(identity, ['cat', '/proc/self/status', '/proc/self/oom_score_adj']);
    expect(stdout.match(/^Cap\w+:\t(\w+)$/gm)!.every(line => line.endsWith('0000000000000000'))).toBe(true);
    expect(stdout).toMatch(/^NoNewPrivs:\t1$/m);
    expect(stdout).toMatch(/^Seccomp:\t2$/m);
    expect(stdout).toMatch(/^SigBlk:\t0+$/m);
    expect(stdout).toMatch(/^SigIgn:\t0+$/m);
    expect(stdout).toMatch(/^NSsid:\t2$/m);
    expect(stdout).toMatch(/\n1000\n$/);
    expect((await run(identity, ['sh', '-c', 'ls /proc/$$/fd'])).stdout).toBe('0\n1\n2\n');
  });

  test('can neither stop, kill, slow down, trace nor read PID 1', async () => {
    const script = `
      for s in $(seq 1 64); do kill -$s 1 && echo signalled; done
      for f in environ mem maps stack syscall auxv fd/0 fd/1; do cat /proc/1/$f && echo read $f; done
      for f in root cwd exe fd/0; do readlink /proc/1/$f && echo linked $f; done
      renice -n 5 -p 1 && echo slowed; chrt -i -p 0 1 && echo idle; taskset -p 1 1 && echo bound
      prlimit --pid 1 --nofile=0:0 && echo limited
      grep State /proc/1/status`;
    const { stdout, trailer } = await run(identity, ['bash', '-c', `${script} ; exit 42`]);
    const own = stdout.replace(/^(pid 1's|1 \(process ID\)).*\n/gm, ''); // what the tools say before they fail
    expect(own).toBe('State:\tS (sleeping)\n');
    expect(trailer).toMatchObject({ kind: 'exited', code: 42 });
    const PTRACE_ATTACH = 16;
    const PTRACE_SEIZE = 0x4206;
    expect(
      await errnos([
        ['ptrace', PTRACE_SEIZE, 1],
        ['ptrace', PTRACE_ATTACH, 1],
        ['process_vm_readv', 1],
      ]),
    ).toEqual([1, 1, 1]);
  });

  test('starts threads, processes and interpreters as anywhere', async () => {
    expect((await run(identity, [threads])).stdout).toBe('56\n');
    const worker = 'require("node:worker_threads").parentPort.postMessage(42)';
    const node = `new (require("node:worker_threads").Worker)('${worker}',{eval:true}).on("message",n=>console.log(n))`;
    // The folder that this one lies in may be closed to others, as /root is.
    const interpreter = join(openFolder(), 'node');
    copyFileSync(process.execPath, interpreter);
    expect((await run(identity, [interpreter, '-e', node])).stdout).toBe('42\n');
    const pool = `
import multiprocessing, subprocess, threading
if __name__ == '__main__':
    with multiprocessing.get_context('fork').Pool(2) as pool: print(sum(pool.map(abs, range(-5, 5))))
    print(subprocess.run(['echo', 'sub'], capture_output=True, text=True).stdout, end='')
`;
    const python = await run(identity, ['/usr/bin/python3', '-c', pool]);
    expect(python.stderr).toBe('');
    expect(python.stdout).toBe('25\nsub\n');
    const folder = openFolder();
    const git =
      'git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x && git log --format=%s';
    const commit = await run(identity, ['bash', '-c', git], {
      cwd: folder,
      env: [
        ['PATH', '/usr/bin:/bin'],
        ['HOME', folder],
      ],
    });
    expect(commit.stdout).toBe('x\n');
    const build = `echo 'int main(void){return 9;}' > a.c && gcc a.c -o a && ./a`;
    const built = await run(identity, ['bash', '-c', build], {
      cwd: folder,
      env: [
        ['PATH', '/usr/bin:/bin'],
        ['TMPDIR', folder],
      ],
    });
    expect(built.trailer).toMatchObject({ code: 9 });
  });
});
