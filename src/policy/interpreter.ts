import { posix } from 'node:path';
import { InvalidRequest } from '../sandbox/errors.js';
import type { HostView } from './host.js';
import { meantBy } from './places.js';
import { quote } from './quote.js';
import { type Inside, isShown, sightOf } from './visible.js';
import { walk } from './walk.js';

/** Interpreters that go by several names: any of the first kind is served by the first of the others that a root has. */
const FAMILIES: Array<{ name: RegExp; commands: string[] }> = [
  { name: /^python(3(\.\d+)*t?)?$/, commands: ['python3', 'python'] },
  { name: /^node(js)?(-?v?\d+)?$/, commands: ['node', 'nodejs'] },
  { name: /^(ba|da)?sh$/, commands: ['bash', 'sh'] },
];

/** The names that an interpreter goes by, as it was asked for first: `python3.11` is served by `python3` as well. */
export function equivalents(wanted: string): string[] {
  return [wanted, ...(FAMILIES.find(({ name }) => name.test(wanted))?.commands ?? [])];
}

/**
 * Turns a request's command into one that means something inside. A bare name stays, to be looked up in PATH there. A
 * path that is visible inside stays. An interpreter's path that is not (a pyenv shim, a venv, a version of the host's)
 * becomes the root's interpreter of that family.
 * @param cwd the program's own, for relative paths.
 * @throws InvalidRequest that names the path and what the root has.
 */
export async function commandInside(
  cmd: string,
  cwd: string,
  inside: Inside,
  host: HostView,
): Promise<{ command: string; warnings: string[] }> {
  if (!cmd.includes('/')) {
    if (cmd === '.' || cmd === '..') throw refusal(`The command ${quote(cmd)} is a folder.`);
    return { command: cmd, warnings: [] };
  }
  const path = cmd.startsWith('/') ? cmd : `${cwd}/${cmd}`;
  if (await isThere(path, inside, host)) return { command: path, warnings: [] };
  const { root } = inside;
  const wanted = posix.basename(path);
  const [, ...family] = equivalents(wanted);
  const served = equivalents(wanted).find(name => root.commands?.[name] !== undefined);
  // An image that declares nothing may have it all the same: PATH inside decides.
  const command = served ? root.commands![served]! : root.commands ? undefined : family[0];
  if (!command) {
    const has = Object.keys(root.commands ?? {}).join(', ') || 'no interpreter that is known';
    throw refusal(
      `The command ${quote(cmd)} is not there inside the sandbox, whose root ${quote(root.name)} has ${has}. Name one of these, or add the folder of the command to fsRead.`,
    );
  }
  return {
    command,
    warnings: [
      `${quote(cmd)} is not there inside the sandbox; ${command} of its root ${quote(root.name)} runs instead.`,
    ],
  };
}

/** A link in a policy folder (a venv's interpreter) counts for where it leads. */
async function isThere(path: string, inside: Inside, host: HostView): Promise<boolean> {
  const sight = sightOf(path, inside);
  // A private folder is empty when a program starts; one that is no interpreter is for the supervisor to report.
  if (sight === 'unknown' || sight === 'private') return equivalents(posix.basename(path)).length === 1;
  if (sight === 'hidden') return false;
  if (sight === 'root' && inside.root.kind === 'image') return true;
  const place = await walk(host, meantBy(path, inside.mounts));
  // One that is missing is for the supervisor to report, as any command that is not there.
  return place.found ? isShown(place.path, inside) : sight === 'policy' && place.links.length === 0;
}

function refusal(message: string): InvalidRequest {
  return new InvalidRequest(message, 'refused');
}
