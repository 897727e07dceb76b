import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { InvalidImage } from '../sandbox/errors.js';

/** Images are large: by 64 KiB, Node's own measure, handing one over takes more than twice the processor time. */
const CHUNK = 1024 * 1024;

/** Opens an archive for reading; `-` is stdin. @throws InvalidImage that names the file */
export async function openArchive(file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    return (await open(file)).createReadStream({ highWaterMark: CHUNK });
  } catch (error) {
    throw new InvalidImage(`The archive ${file} cannot be read: ${(error as Error).message}.`);
  }
}
