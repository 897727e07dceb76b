import { spawn } from 'node:child_process';

/** Where all contenders find their programs: what stands before it in a user's PATH (shims, older clients) is not measured. */
export const SYSTEM_PATH = '/usr/bin:/bin:/usr/sbin:/sbin';

/**
 * Runs a command to its end.
 * @param {readonly string[]} command
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, path?: string, input?: Buffer, shell?: boolean }} [options]
 * @returns {Promise<string>} what it printed; rejects with its complaint when it does not exit with 0
 */
export function output([name, ...args], { cwd, env = process.env, path = SYSTEM_PATH, input, shell = false } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(name, args, {
      cwd,
      env: { ...env, PATH: path },
      shell,
      stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', chunk => (stdout += chunk));
    child.stderr.on('data', chunk => (stderr += chunk));
    child.on('error', reject);
    child.on('close', code => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${name.slice(0, 40)} exited with ${code}: ${stderr.trim().slice(-300)}`));
    });
    child.stdin?.end(input);
  });
}
