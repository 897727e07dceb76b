import { HOSTNAME } from '../hardening/container.js';
import { PRIVATE_HOME } from '../hardening/tmpfs.js';
import { type Inside, sightOf } from './visible.js';

type Pair = [name: string, value: string];

/** USER and LOGNAME serve programs that ask for a name where the uid has no entry in the image's passwd. */
const FIXED: Record<string, string> = {
  HOME: PRIVATE_HOME,
  TMPDIR: PRIVATE_HOME,
  LANG: 'C.UTF-8',
  HOSTNAME,
  USER: 'sandbox',
  LOGNAME: 'sandbox',
};

/**
 * The program's whole environment: the request's variables exactly and in their order, then what the root declares, then
 * the sandbox's own list, each only where the request says nothing.
 *
 * Three values of the request name places, and a place of the host means nothing inside. PATH keeps its entries that
 * are visible, in front of the root's. HOME and TMPDIR give way to the sandbox's own unless the place is there.
 */
export function environmentOf(requested: Pair[], inside: Inside): Pair[] {
  const { root } = inside;
  const own = Object.entries({ ...FIXED, ...root.env, PATH: root.path.join(':') });
  const given = new Set(requested.map(([name]) => name));
  return [
    ...requested.map(([name, value]): Pair => [name, placed(name, value, inside)]),
    ...own.filter(([name]) => !given.has(name)),
  ];
}

function placed(name: string, value: string, inside: Inside): string {
  if (name === 'PATH') return pathOf(value, inside);
  const isPlace = (name === 'HOME' || name === 'TMPDIR') && value.startsWith('/');
  return isPlace && !['policy', 'private'].includes(sightOf(value, inside)) ? FIXED[name]! : value;
}

/** Relative and empty entries go: where they lead depends on the current folder. */
function pathOf(value: string, inside: Inside): string {
  const visible = value
    .split(':')
    .filter(entry => entry.startsWith('/') && ['policy', 'root'].includes(sightOf(entry, inside)));
  return [...new Set([...visible, ...inside.root.path])].join(':');
}
