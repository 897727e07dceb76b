import type { PreparedRun } from '../policy/prepare.js';
import type { Backend } from '../sandbox/backend.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { joined } from '../sandbox/joined.js';
import { attempt } from './attempt.js';
import { parseFacts } from './facts.js';
import { explainEnding } from './failure.js';

/** Another run with a network, in which somebody listens who must not be reached. */
export class Neighbour implements AsyncDisposable {
  readonly #leave: () => Promise<void>;

  /**
   * @param address `ADDRESS:PORT` in its network
   * @param errno what came of its own attempt to connect there: 0, so that another's failure means something
   */
  private constructor(
    readonly address: string,
    readonly errno: number,
    leave: () => Promise<void>,
  ) {
    this.#leave = leave;
  }

  /**
   * @param prepared is released when it leaves
   * @throws BackendUnavailable when it ends before it has said where it listens
   */
  static async open(backend: Backend, prepared: PreparedRun, signal: AbortSignal): Promise<Neighbour> {
    const stay = joined(signal);
    let said = '';
    let tell = (_: string[]) => {};
    const listening = new Promise<string[]>(resolve => {
      tell = resolve;
    });
    const running = attempt(backend, prepared, ['listen='], stay.signal, chunk => {
      said += chunk.toString('latin1');
      const fact = said.includes('\n') && parseFacts(said).of('listening')[0];
      if (fact) tell(fact);
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
      return new Neighbour(address, Number(errno), leave);
    } catch (error) {
      await leave();
      throw error;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#leave();
  }
}
