/** One line of the sandbox's /proc/self/mountinfo. */
export interface SeenMount {
  target: string;
  /** The mount or its file system is read-only. */
  readOnly: boolean;
  type: string;
  /** Folder of the file system that is shown, and its device or name. */
  root: string;
  source: string;
}

/** Reads one line of mountinfo (proc(5)). */
export function parseMount(line: string): SeenMount {
  const [mount = '', rest = ''] = line.split(' - ');
  const [, , , root = '', target = '', options = ''] = mount.split(' ');
  const [type = '', source = '', superOptions = ''] = rest.split(' ');
  const readOnly = [options, superOptions].some(list => list.split(',').includes('ro'));
  return { target: decodeOctal(target), readOnly, type, root: decodeOctal(root), source: decodeOctal(source) };
}

/** Of several mounts at one point only the last can be seen. */
export function visibleMounts(lines: string[]): SeenMount[] {
  return [...new Map(lines.map(parseMount).map(mount => [mount.target, mount])).values()];
}

function decodeOctal(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
