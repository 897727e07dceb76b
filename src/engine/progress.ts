import type { Call, EngineClient } from './client.js';
import { EngineFailure } from './failure.js';

/** One event of a pull, build, import or load, in the words that Docker and Podman share. */
export interface Progress {
  /** Output of a build, or a message of a load. */
  stream?: string;
  /** What a pull does to a layer, such as `Downloading`. */
  status?: string;
  /** Of the layer. */
  id?: string;
  error?: string;
}

/**
 * Makes a call that reports its progress, and waits for its end.
 * @param what for the message, such as `the pull of debian:12`
 * @throws EngineFailure also where the engine answered 200 first, and told later that it failed.
 */
export async function followProgress(
  client: EngineClient,
  call: Call,
  what: string,
  onEvent: (event: Progress) => void = () => {},
): Promise<void> {
  let failure: string | undefined;
  const onLine = (line: unknown) => {
    const event = line as Progress;
    failure ??= event.error;
    onEvent(event);
  };
  await client.request({ ...call, onLine });
  if (failure !== undefined) throw new EngineFailure(`${what} failed: ${failure.trim()}`, { status: 200 });
}
