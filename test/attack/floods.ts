import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { python, request, resultOf } from '../support/request.js';
import { ATTACKED, type Attack, folderOf, underWay } from './attack.js';

const CAP = ATTACKED.limits.outputMiB << 20;
/** Bytes that the flood lets out, far more than the cap. */
const FLOOD = 24 << 20;
/** What this process may grow by; the flood of stdout would not fit in, were it all kept. */
const GROWTH = 64 << 20;

const FLOODS: Record<string, string> = {
  'stdout, without a newline': `for _ in range(${(4 * GROWTH) >> 16}): os.write(1, b'x' * 65536)`,
  stderr: `for _ in range(${FLOOD >> 16}): os.write(2, b'x' * 65536)`,
  'both in turn': `for _ in range(${FLOOD >> 17}): os.write(1, b'o' * 65536); os.write(2, b'e' * 65536)`,
  'tiny writes': `for _ in range(${(CAP >> 3) + 20_000}): os.write(1, b'12345678')`,
  'NUL bytes': `for _ in range(${FLOOD >> 16}): os.write(1, bytes(65536))`,
};

/** Names and trees that are hard to list, and to remove. */
const TREE = `
import os
for name in [b'n' * 255, b'\\xff\\xfe', b' ', b'-rf', b'*', b'a\\nb', b'\\x01\\x7f', '✓'.encode(), b'..a', b'$(id)', b'"']:
    open(name, 'w').close()
for n in range(3000): open('many%d' % n, 'w').close()
os.mkdir('closed'); open('closed/file', 'w'); os.chmod('closed', 0o700)
depth = 0
while depth < 1500:
    os.mkdir('deep'); os.chdir('deep'); depth += 1
print(depth)
`;

/** What an engine keeps of what containers print; without one any file would be too much. */
const LOGS = ['(', '-name', '*-json.log', '-o', '-name', 'ctr.log', ')'];

/** Floods of output and of files. */
export const floods: Attack[] = [
  ...Object.entries(FLOODS).map(
    ([name, code]): Attack => ({
      name: `output: ${name}`,
      guarantee: 13,
      async run({ sandbox }) {
        const before = process.memoryUsage().rss;
        const result = await python(sandbox, `import os\n${code}`);
        expect(result).toMatchObject({ code: 0, truncated: true, end: 'exit' });
        expect(result.stdout.length).toBeLessThanOrEqual(CAP);
        expect(result.stderr.length).toBeLessThanOrEqual(CAP + 200);
        expect(process.memoryUsage().rss - before).toBeLessThan(GROWTH);
      },
    }),
  ),
  {
    name: 'output without end, by a Node program that ignores everything',
    guarantee: 11,
    async run({ sandbox }) {
      const started = performance.now();
      const code =
        'process.on("SIGTERM", () => {}); const fs = require("fs"); for (;;) fs.writeSync(1, "y".repeat(4096))';
      const result = await resultOf(sandbox, request('node', ['-e', code], { timeout: 3000 }));
      expect(result).toMatchObject({ signal: 'SIGKILL', timedOut: true, truncated: true });
      expect(performance.now() - started).toBeLessThan(30_000);
    },
  },
  {
    name: 'names of odd bytes and deep trees, which the caller must be able to remove',
    guarantee: 8,
    async run({ sandbox }) {
      using work = folderOf(process.getuid!());
      const result = await python(sandbox, TREE, { policy: { fsWrite: [work.path] } });
      expect(result).toMatchObject({ code: 0, stdout: '1500\n' });
      expect(readdirSync(work.path).length).toBeGreaterThan(3000);
      // As a user would; Node's own rmSync fails where a path grows longer than 4,096 bytes.
      execFileSync('rm', ['-rf', '--', work.path]);
      expect(existsSync(work.path)).toBe(false);
    },
  },
  {
    name: 'output that fills the engine’s own disk',
    guarantee: 12,
    needs: 'root',
    async run({ sandbox, target }) {
      const code = 'import os, time\nfor _ in range(128): os.write(1, bytes(65536))\ntime.sleep(1.5)';
      const { result } = await underWay(sandbox, code);
      await sleep(500);
      // Containers come and go under find, which then exits with 1: what it found is what counts.
      const [folder] = sandbox.selection.backend!.places.storage;
      expect(existsSync(folder!)).toBe(true);
      const found = spawnSync('find', [folder!, '-xdev', ...(target.socket ? LOGS : ['-type', 'f']), '-size', '+1M']);
      const during = found.stdout.toString().split('\n').filter(Boolean);
      await result;
      expect({ target: target.name, during }).toEqual({ target: target.name, during: [] });
    },
  },
];
