import { open } from 'node:fs/promises';
import { connect } from 'node:net';
import { posix } from 'node:path';
import { FOLDER } from './open-path.js';

/** Nobody is bound to it any more, or it is gone. */
const DEAD = ['ECONNREFUSED', 'ENOENT', 'ENOTDIR'];

/**
 * Whether a program takes what others send to the socket at a path, which only connecting tells: a socket stays in its
 * folder when its program has ended. A doubt counts as yes.
 */
export async function listens(path: string): Promise<boolean> {
  // An address holds 107 bytes; the folder's descriptor makes a long way short.
  const linux = process.platform === 'linux';
  const folder = linux ? await open(posix.dirname(path), FOLDER).catch(() => undefined) : undefined;
  const place = folder ? `/proc/self/fd/${folder.fd}/${posix.basename(path)}` : path;
  try {
    return await new Promise<boolean>(resolve => {
      const socket = connect(place);
      socket.once('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(!DEAD.includes(error.code ?? '')));
    });
  } finally {
    await folder?.close();
  }
}
