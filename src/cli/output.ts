import { StringDecoder } from 'node:string_decoder';
import { printable } from '../policy/quote.js';

/**
 * Where a program's output goes: as it is, but for a terminal, whose cursor, title and clipboard are not the program's to
 * drive.
 */
export function writerTo(stream: NodeJS.WriteStream): (chunk: Buffer) => void {
  if (!stream.isTTY) return chunk => void stream.write(chunk);
  const decoder = new StringDecoder('utf8');
  return chunk => void stream.write(printable(decoder.write(chunk)));
}
