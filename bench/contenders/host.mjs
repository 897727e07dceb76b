import { output } from '../command.mjs';
import { contender } from './contender.mjs';

/** No sandbox at all; only the environment is as empty as in one, since what stands there can slow interpreters down. */
export function bare() {
  const run = ({ cmd, args }) => output([cmd, ...args], { env: {} });
  const entry = { name: 'bare', open: async () => contender(entry, run) };
  return entry;
}

/**
 * bubblewrap as Aalis's own provider calls it: the host's root read-only, the workspace writable, no network.
 * @param {string} work writable folder
 */
export function bubblewrap(work) {
  const flags = [
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp'],
    ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/bin:/bin', '--bind', work, work, '--chdir', work, '--'],
  ];
  const entry = {
    name: 'bubblewrap',
    open: async () => {
      await output(['bwrap', '--version']);
      return contender(entry, ({ cmd, args }) => output(['bwrap', ...flags, cmd, ...args]));
    },
  };
  return entry;
}
