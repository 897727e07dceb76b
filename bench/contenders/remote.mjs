import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Contenders of another user, in a process of that user, so that they take turns with the others. */
export class Remote {
  #child;
  #waiting = new Map();
  #next = 0;
  #gone;

  /** @param {readonly string[]} command ends in a `node` that runs as that user, in a checkout of its own */
  constructor([name, ...args]) {
    this.#child = spawn(name, [...args, 'bench/worker.mjs'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    });
    this.#child.on('error', error => this.#lost(error));
    this.#child.on('exit', code => this.#lost(new Error(`the other user's worker exited with ${code}`)));
    createInterface({ input: this.#child.stdout }).on('line', line => {
      const { id, value, error } = JSON.parse(line);
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    });
  }

  /** @returns {Promise<import('./contender.mjs').Entry[]>} */
  async entries() {
    const found = await this.#call('entries');
    return found.map(entry => ({
      ...entry,
      open: async () => {
        await this.#call('open', { name: entry.name });
        const ask = (what, more) => this.#call(what, { name: entry.name, ...more });
        return {
          name: entry.name,
          ours: entry.ours,
          run: program => ask('run', { program }),
          close: () => ask('close'),
          warm: () => ask('warm'),
          footprint: () => ask('footprint'),
        };
      },
    }));
  }

  /** @returns {Promise<import('../phases.mjs').Stopwatch[]>} */
  async stopwatches() {
    const names = await this.#call('backends');
    return names.map(name => ({ name, measure: (program, rounds) => this.#call('phases', { name, program, rounds }) }));
  }

  end() {
    this.#child.stdin.end();
  }

  #call(what, more = {}) {
    if (this.#gone) return Promise.reject(this.#gone);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#child.stdin.write(`${JSON.stringify({ id, what, ...more })}\n`);
    });
  }

  #lost(error) {
    this.#gone = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
