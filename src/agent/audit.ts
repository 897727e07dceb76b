import { constants } from 'node:fs';
import { open, rename, truncate } from 'node:fs/promises';
import { escapeInvisible } from '../policy/quote.js';

/** One line of the audit file. Holds neither code nor arguments, nor a value of the environment. */
export interface AuditRecord {
  id: string;
  /** When the run was asked for, in ISO 8601. */
  time: string;
  /** Its name only. */
  command: string;
  access: string;
  network: string;
  /** Names of the caller's variables. */
  env: string[];
  /** Missing where nothing ran, as are the next ones. */
  backend?: string;
  image?: string;
  exit?: number | null;
  end?: string;
  durationMs?: number;
  artifacts?: number;
  /** From the request to its end, waiting included. */
  totalMs: number;
  /** Name of the error where there is no result. */
  error?: string;
}

/** How an audit file grows. */
export interface AuditSettings {
  /** Bytes at which it is set aside. */
  maxBytes: number;
  /** How many that were set aside are kept. */
  keep: number;
}

const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

/** Appends one JSON object a line. The file is opened for each line, since another process may set it aside. */
export class AuditFile {
  readonly #path: string;
  readonly #settings: AuditSettings;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, settings: AuditSettings) {
    this.#path = path;
    this.#settings = settings;
  }

  /** Rejects with the system's error; the next line is tried all the same. */
  write(record: AuditRecord): Promise<void> {
    // JSON leaves some characters as they are that turn a terminal's line around.
    const line = `${escapeInvisible(JSON.stringify(record), jsonEscape)}\n`;
    const written = this.#last.then(() => this.#append(line));
    this.#last = written.catch(() => {});
    return written;
  }

  async #append(line: string): Promise<void> {
    await using file = await open(this.#path, FLAGS, 0o600);
    await file.appendFile(line);
    if ((await file.stat()).size >= this.#settings.maxBytes) await this.#setAside();
  }

  async #setAside(): Promise<void> {
    const { keep } = this.#settings;
    for (let number = keep - 1; number >= 1; number--) {
      await rename(`${this.#path}.${number}`, `${this.#path}.${number + 1}`).catch(() => {});
    }
    if (keep > 0) await rename(this.#path, `${this.#path}.1`);
    else await truncate(this.#path);
  }
}

function jsonEscape(found: string): string {
  return found.split('').reduce((all, unit) => `${all}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`, '');
}
