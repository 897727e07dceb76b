/** What the probe said from inside: one fact a line, a kind and its fields. */
export interface Facts {
  /** The probe came to its end, so nothing is missing. */
  complete: boolean;
  /** Fields of every fact of a kind, in order. */
  of(kind: string): string[][];
  /** Fields after the name, of the first fact of that kind and name. */
  find(kind: string, name: string): string[] | undefined;
  /** Errno of an attempt: 0 where it worked, undefined where it was not made. */
  errno(kind: string, name: string): number | undefined;
}

/** Reads the probe's output. Fields are separated by one space; `%XX` stands for a byte (init/probe/fact.c). */
export function parseFacts(output: string): Facts {
  const kinds = new Map<string, string[][]>();
  for (const line of output.split('\n')) {
    const [kind, ...fields] = line.split(' ').map(decodeBytes);
    if (!kind) continue;
    const facts = kinds.get(kind) ?? [];
    facts.push(fields);
    kinds.set(kind, facts);
  }
  const of = (kind: string) => kinds.get(kind) ?? [];
  const find = (kind: string, name: string) =>
    of(kind)
      .find(fields => fields[0] === name)
      ?.slice(1);
  return {
    complete: kinds.has('end'),
    of,
    find,
    errno: (kind, name) => {
      const errno = find(kind, name)?.[0];
      return errno === undefined ? undefined : Number(errno);
    },
  };
}

function decodeBytes(field: string): string {
  const bytes = field.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
