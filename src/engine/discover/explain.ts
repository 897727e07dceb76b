import { EngineFailure } from '../failure.js';
import type { Attempt } from './discover.js';
import type { Strategy } from './strategies.js';

/** Why a place that was tried holds no engine for us, and what to do about it. */
export function explain(error: unknown, strategy: Strategy, customary: boolean): Pick<Attempt, 'outcome' | 'reason'> {
  const message = (error as Error).message;
  const code = error instanceof EngineFailure ? error.code : undefined;
  const advised = (reason: string) => (strategy.advice ? `${reason} (${strategy.advice})` : reason);
  switch (code) {
    case 'ENOENT':
      return { outcome: customary ? 'not-applicable' : 'declined', reason: advised('there is no such socket') };
    case 'ECONNREFUSED':
      return {
        outcome: 'declined',
        reason: advised('nothing listens there: the service has stopped, or the file is stale'),
      };
    case 'EACCES':
    case 'EPERM':
      return { outcome: 'declined', reason: `permission denied: ${ACCESS[strategy.engine ?? 'docker']}` };
    case 'EDEADLINE':
      return { outcome: 'declined', reason: `it accepts connections and does not answer: ${message}` };
    default:
      return { outcome: 'declined', reason: message };
  }
}

const ACCESS = {
  docker: 'use rootless Podman, or add your user to the group docker (which is as good as root on this host)',
  podman: 'the socket belongs to another user; use rootless Podman (systemctl --user enable --now podman.socket)',
};
