import { Readable } from 'node:stream';
import { type Header, pack } from 'tar-stream';

const mtime = new Date(0);

/** A tar archive with these entries, the same bytes whenever it is made; content makes a file. */
export function archiveOf(entries: Array<Partial<Header> & { name: string; content?: string }>): Readable {
  const archive = pack();
  for (const { content, ...header } of entries) archive.entry(Object.assign({ mtime }, header), content ?? '');
  archive.finalize();
  return Readable.from(archive, { objectMode: false });
}
