import { EngineFailure } from '../engine/failure.js';
import { messageOf } from '../sandbox/errors.js';
import { marked } from '../sandbox/result.js';

/** How a command answers. */
interface AsJson {
  json?: boolean;
}

/** Runs a command's work; what fails goes to stderr, with exit code 125. */
export async function reporting(how: AsJson, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    printError(how, error);
    process.exitCode = 125;
  }
}

/** JSON with no control character in it, of which it leaves those beyond ASCII as they are: a terminal would obey them. */
export function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(
    /[\u007f-\u009f]/g,
    control => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** What failed, as JSON on stdout or as a line on stderr. */
export function printError({ json }: AsJson, error: unknown): void {
  const message = messageOf(error);
  if (json) console.log(jsonOf({ error: { name: nameOf(error), message } }));
  else console.error(marked(message));
}

function nameOf(error: unknown): string {
  if (error instanceof EngineFailure) return 'BackendUnavailable';
  return error instanceof Error ? error.name : 'Error';
}

/** What a command found or did, as JSON or as text. */
export function print({ json }: AsJson, value: unknown, text: () => string): void {
  console.log(json ? jsonOf(value, 2) : text());
}
