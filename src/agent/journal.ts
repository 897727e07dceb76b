import { type TracingChannel, tracingChannel } from 'node:diagnostics_channel';
import { join, posix } from 'node:path';
import type { Logger } from '../aalis.js';
import { AuditFile, type AuditRecord } from './audit.js';
import type { Settings } from './options.js';
import type { CheckedAgentRequest } from './request.js';
import type { AgentResult } from './result.js';

/** Name of the tracing channel of `node:diagnostics_channel` on which each run is told, from its request to its end. */
export const RUN_CHANNEL = 'code-sandbox:run';

/** What subscribers of the channel get. */
export interface Trace {
  id: string;
  /** Set when the run is over. */
  record?: AuditRecord;
}

/** Writes down what became of each run, in the audit file and on the tracing channel. */
export class Journal {
  readonly #file: AuditFile | undefined;
  readonly #logger: Logger;
  readonly #channel: TracingChannel<string, Trace> = tracingChannel(RUN_CHANNEL);

  constructor(dataDir: string, settings: Settings['audit'], logger: Logger) {
    this.#file = settings === false ? undefined : new AuditFile(join(dataDir, 'audit.jsonl'), settings);
    this.#logger = logger;
  }

  /** Carries out a run and writes it down; a file that cannot be written is reported, and breaks no run. */
  follow(id: string, request: CheckedAgentRequest, run: () => Promise<AgentResult>): Promise<AgentResult> {
    const trace: Trace = { id };
    const started = Date.now();
    const note = (part: Partial<AuditRecord>) => {
      trace.record = recordOf(id, request, started, part);
      return this.#write(trace.record);
    };
    return this.#channel.tracePromise(async () => {
      try {
        const result = await run();
        const auditError = await note(factsOf(result));
        return { ...result, ...(auditError === undefined ? {} : { auditError }) };
      } catch (error) {
        await note({ error: error instanceof Error ? error.name : 'Error' });
        throw error;
      }
    }, trace);
  }

  async #write(record: AuditRecord): Promise<string | undefined> {
    try {
      await this.#file?.write(record);
      return undefined;
    } catch (error) {
      const reason = `The audit file cannot be written: ${(error as Error).message}.`;
      this.#logger.warn(reason);
      return reason;
    }
  }
}

function recordOf(id: string, request: CheckedAgentRequest, started: number, part: Partial<AuditRecord>): AuditRecord {
  return {
    id,
    time: new Date(started).toISOString(),
    command: posix.basename(request.command).slice(0, 200),
    access: request.access,
    network: request.network,
    env: Object.keys(request.env ?? {}).slice(0, 100),
    ...part,
    totalMs: Date.now() - started,
  };
}

function factsOf({ backend, image, code, end, durationMs, artifacts }: AgentResult): Partial<AuditRecord> {
  return { backend, image, exit: code, end, durationMs, artifacts: artifacts.length };
}
