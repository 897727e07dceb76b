import { constants } from 'node:fs';

/**
 * O_PATH of Linux, which Node does not name: takes hold of a file without opening it, so that nothing can block or be read,
 * and its holder need not be able to read it. 0 elsewhere.
 */
export const O_PATH = process.platform === 'linux' ? 0o10000000 : 0;
/** A folder and nothing else: code may put a FIFO or a link in its place, and an open FIFO waits for its writer. */
export const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
