import type { Logger } from '../aalis.js';

/** A logger that says nothing: the default of the library. */
export const silentLogger: Logger = {
  child: () => silentLogger,
  debug() {},
  info() {},
  warn() {},
  error() {},
};
