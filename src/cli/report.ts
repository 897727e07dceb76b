import { EngineFailure } from '../engine/failure.js';

/** How a command answers. */
interface AsJson {
  json?: boolean;
}

/** Runs a command's work; what fails goes to stderr, with exit code 125. */
export async function reporting({ json }: AsJson, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { name, message } = error as Error;
    if (json)
      console.log(
        JSON.stringify({ error: { name: error instanceof EngineFailure ? 'BackendUnavailable' : name, message } }),
      );
    else console.error(`code-sandbox: ${message}`);
    process.exitCode = 125;
  }
}

/** What a command found or did, as JSON or as text. */
export function print({ json }: AsJson, value: unknown, text: () => string): void {
  console.log(json ? JSON.stringify(value, undefined, 2) : text());
}
