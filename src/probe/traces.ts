import { procNames, procText } from '../reaper/proc.js';

/**
 * Processes of the host in whose arguments or environment a value stands, as `arguments of process 17 (name)`.
 * Processes inside sandboxes are left out: the program itself has its own arguments and environment.
 */
export function hostTraces(secret: string): string[] {
  const pids = procNames('/proc').filter(name => /^\d+$/.test(name));
  return pids.flatMap(pid => tracesOf(pid, secret, name => procText(`/proc/${pid}/${name}`)));
}

/** The same of one process. @param read a file of its folder in /proc; empty when the process has ended */
export function tracesOf(pid: string, secret: string, read: (name: string) => string): string[] {
  const found = { arguments: read('cmdline').includes(secret), environment: read('environ').includes(secret) };
  const where = Object.entries(found).flatMap(([what, there]) => (there ? [what] : []));
  if (where.length === 0) return [];
  const status = read('status');
  // It has ended, and nobody can tell any more where it was; a second number is its own id in a namespace below this one.
  if (status === '' || /^NSpid:\t\d+\t/m.test(status)) return [];
  return where.map(what => `the ${what} of process ${pid} (${read('comm').trim()})`);
}
