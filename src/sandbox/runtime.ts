import type { Backend } from './backend.js';
import { BackendUnavailable } from './errors.js';

/**
 * Nothing weaker takes the place of a runtime that somebody asked for.
 * @throws BackendUnavailable when the backend does not offer it
 */
export function requireRuntime({ label, runtimes }: Pick<Backend, 'label' | 'runtimes'>, runtime: string): void {
  if (runtimes.includes(runtime)) return;
  const offer = runtimes.length > 0 ? `it has ${runtimes.join(', ')}` : 'it has none to choose from';
  throw new BackendUnavailable(
    `${label} does not offer the OCI runtime ${JSON.stringify(runtime)}: ${offer}. Add it to the engine’s own settings, or ask for another one.`,
  );
}
