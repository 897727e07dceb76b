import type { Progress } from '../engine/progress.js';

/** Lines of a failed step's output that a message keeps. */
const KEPT_LINES = 30;
/** How Docker and Podman head a step: `Step 2/3 : RUN …`, `STEP 2/3: RUN …`. */
const STEP = /^step (\d+\/\d+) ?: (.*)/i;
/** What Docker says about its own containers and layers. */
const NOISE = /^ ---> |^Removing intermediate container /;

/** Reads a build's events: whole lines for whoever watches, and what a failed step said. */
export class BuildLog {
  readonly #onLine: (line: string) => void;
  #rest = '';
  #step = '';
  #output: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  readonly push = ({ stream }: Progress): void => {
    const lines = (this.#rest + (stream ?? '')).split('\n');
    this.#rest = lines.pop()!;
    for (const line of lines) this.#take(line.trimEnd());
  };

  /** The step that was at work last, and the end of its output. */
  failure(): { step: string; output: string[] } {
    if (this.#rest) this.#take(this.#rest);
    this.#rest = '';
    return { step: this.#step, output: this.#output.slice(-KEPT_LINES) };
  }

  #take(line: string): void {
    if (line === '' || NOISE.test(line)) return;
    const step = STEP.exec(line);
    if (step) {
      this.#step = step[2]!;
      this.#output = [];
    } else {
      this.#output.push(line);
      if (this.#output.length > 2 * KEPT_LINES) this.#output.splice(0, KEPT_LINES);
    }
    this.#onLine(line);
  }
}
