import type { Logger } from '../aalis.js';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

/** A logger that writes to stderr from a level on; stdout belongs to the program that is run. */
export function stderrLogger(from: (typeof LEVELS)[number]): Logger {
  const write = (level: (typeof LEVELS)[number]) => (message: string) => {
    if (LEVELS.indexOf(level) >= LEVELS.indexOf(from)) process.stderr.write(`code-sandbox: ${message}\n`);
  };
  const logger: Logger = {
    child: () => logger,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  return logger;
}
