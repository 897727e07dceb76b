import { Readable } from 'node:stream';
import { type Header, pack } from 'tar-stream';

/** A tar archive with these entries; content makes a file. */
export function archiveOf(entries: Array<Partial<Header> & { name: string; content?: string }>): Readable {
  const archive = pack();
  for (const { content, ...header } of entries) archive.entry(header as Header, content ?? '');
  archive.finalize();
  return Readable.from(archive, { objectMode: false });
}
