import type { PreparedRun } from '../policy/prepare.js';
import { BackendUnavailable } from '../sandbox/errors.js';
import { joined } from '../sandbox/joined.js';
import { attempt, type Trial } from './attempt.js';
import { parseFacts } from './facts.js';
import { explainEnding } from './failure.js';
import type { NeighbourSide } from './observation.js';

/** Far more than the one line takes. */
const MOST_SAID = 4096;

/** Another run with a network, in which somebody listens who must not be reached. It leaves when it is disposed of. */
export interface Neighbour extends AsyncDisposable {
  readonly address: string;
  /** What it was, and whether it is still there. */
  seen(): NeighbourSide;
}

/**
 * @param prepared is released when it leaves
 * @param stayMs for how long it listens, at most
 * @throws BackendUnavailable when it ends before it has said where it listens
 */
export async function openNeighbour(trial: Trial, prepared: PreparedRun, stayMs: number): Promise<Neighbour> {
  const stay = joined(trial.signal);
  const listening = Promise.withResolvers<string[]>();
  let said = '';
  let stayed = true;
  const running = attempt('another run', { ...trial, signal: stay.signal }, prepared, [`listen=${stayMs}`], {
    output: chunk => {
      if (said.length > MOST_SAID) return;
      said += chunk.toString('latin1');
      const [fact] = said.includes('\n') ? parseFacts(said).of('listening') : [];
      if (fact) listening.resolve(fact);
    },
    over: () => {
      stayed = false;
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
    const [address = '', errno] = await Promise.race([listening.promise, ended]);
    return {
      address,
      seen: () => ({ address, errno: Number(errno), stayed }),
      [Symbol.asyncDispose]: leave,
    };
  } catch (error) {
    await leave();
    throw error;
  }
}
