/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} cmd
 * @property {string[]} args
 * @property {string} stdout what it prints; anything else is a failed run
 * @property {string} [image] image of this package that it needs, as `code-sandbox images build` names it
 */

/** @type {Program[]} */
export const programs = [
  { name: 'echo', cmd: 'echo', args: ['1'], stdout: '1\n' },
  { name: 'python', cmd: 'python3', args: ['-c', 'print(1)'], stdout: '1\n' },
  // All contenders take this one, whichever the benchmark itself runs in.
  { name: 'node', cmd: '/usr/bin/node', args: ['-e', 'console.log(1)'], stdout: '1\n' },
  {
    name: 'python-data import',
    cmd: 'python3',
    args: ['-c', 'import numpy, pandas, matplotlib; print(1)'],
    stdout: '1\n',
    image: 'localhost/code-sandbox/python-data:1.0.0',
  },
];

/** The same for every contender that has limits. */
export const LIMITS = { memoryMiB: 512, pids: 128, tmpMiB: 256, openFiles: 1024, timeoutMs: 60_000 };

/**
 * @param {Program} program
 * @param {string} stdout
 */
export function verify(program, stdout) {
  if (stdout !== program.stdout) throw new Error(`${program.name} printed ${JSON.stringify(stdout.slice(0, 200))}`);
}
