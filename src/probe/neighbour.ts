import type { PreparedRun } from '../policy/prepare.js';
import type { Backend } from '../sandbox/backend.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { joined } from '../sandbox/joined.js';
import { attempt } from './attempt.js';
import { parseFacts } from './facts.js';
import { explainEnding } from './failure.js';
import type { NeighbourSide } from './observation.js';

/** Far more than the one line takes. */
const MOST_SAID = 4096;

/** Another run with a network, in which somebody listens who must not be reached. */
export class Neighbour implements AsyncDisposable {
  readonly #stays: () => boolean;
  readonly #leave: () => Promise<void>;

  private constructor(
    readonly address: string,
    readonly errno: number,
    stays: () => boolean,
    leave: () => Promise<void>,
  ) {
    this.#stays = stays;
    this.#leave = leave;
  }

  /**
   * @param prepared is released when it leaves
   * @param stayMs for how long it listens, at most
   * @throws BackendUnavailable when it ends before it has said where it listens
   */
  static async open(backend: Backend, prepared: PreparedRun, stayMs: number, signal: AbortSignal): Promise<Neighbour> {
    const stay = joined(signal);
    let said = '';
    let tell = (_: string[]) => {};
    const listening = new Promise<string[]>(resolve => {
      tell = resolve;
    });
    let stays = true;
    const running = attempt(backend, prepared, [`listen=${stayMs}`], stay.signal, {
      output: chunk => {
        if (said.length > MOST_SAID) return;
        said += chunk.toString('latin1');
        const [fact] = said.includes('\n') ? parseFacts(said).of('listening') : [];
        if (fact) tell(fact);
      },
      over: () => {
        stays = false;
      },
    });
    const ended = running.then(({ ending, complaint }) => {
      throw new BackendUnavailable(explainEnding(ending, complaint));
    });
    const leave = async () => {
      stay.abort();
      await ended.catch(() => {});
      stay[Symbol.dispose]();
      await prepared.release();
    };
    try {
      const [address = '', errno] = await Promise.race([listening, ended]);
      return new Neighbour(address, Number(errno), () => stays, leave);
    } catch (error) {
      await leave();
      throw error;
    }
  }

  /** What it was, and whether it is still there. */
  seen(): NeighbourSide {
    const { address, errno } = this;
    return { address, errno, stayed: this.#stays() };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#leave();
  }
}
