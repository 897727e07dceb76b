import { buffer } from 'node:stream/consumers';
import { pack } from 'tar-stream';

/** A tar archive of files by name; a list of two is mode and content. */
export async function archiveOf(
  files: Record<string, string | Buffer | [mode: number, content: string]>,
): Promise<Buffer> {
  const archive = pack();
  for (const [name, file] of Object.entries(files)) {
    const [mode, content] = Array.isArray(file) ? file : [0o644, file];
    archive.entry({ name, mode }, content);
  }
  archive.finalize();
  return buffer(archive);
}
