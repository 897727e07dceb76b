import type { IncomingMessage } from 'node:http';
import { EngineFailure } from './failure.js';

/** More than any answer of an engine; what sends more is none. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** The whole body. A deadline is the caller's business: aborting the request ends this too. */
async function readAll(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new EngineFailure(`it answered more than ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parsed JSON where the response says that it is JSON, undefined where it is empty, else the bytes. */
export async function readBody(response: IncomingMessage): Promise<unknown> {
  const bytes = await readAll(response);
  if (bytes.length === 0) return undefined;
  return response.headers['content-type']?.includes('json') ? parse(bytes.toString()) : bytes;
}

/** Progress as engines report it: one JSON object a line, handed on as it comes. */
export async function readLines(response: IncomingMessage, onLine: (line: unknown) => void): Promise<void> {
  let rest = '';
  // Not readline, which takes a connection that broke off for the end.
  for await (const chunk of response.setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.trim()) onLine(parse(line));
  }
  if (rest.trim()) onLine(parse(rest));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EngineFailure(`it answered what is not JSON: ${text.slice(0, 100)}`, { cause });
  }
}

/** The engine's own words in an answer that refuses a call. */
export async function readRefusal(response: IncomingMessage): Promise<string> {
  const text = (await readAll(response)).toString().trim();
  try {
    const { message, cause } = JSON.parse(text) as { message?: string; cause?: string };
    return message || cause || text;
  } catch {
    return text.slice(0, 2000) || (response.statusMessage ?? '');
  }
}
