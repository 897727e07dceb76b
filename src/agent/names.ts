/** Longest name of a kept file, in bytes: leaves room for a number, on every file system. */
const MOST_BYTES = 200;
/** All but letters, digits and a few signs: separators, control characters, what shells and Windows read. */
const UNSAFE = /[^\p{L}\p{M}\p{N}._+@=,() -]/gu;

/** A name that code chose, as one that is safe to create, list and hand on. Different names may become the same. */
export function safeName(name: string): string {
  let safe = name
    .normalize('NFC')
    .replace(UNSAFE, '_')
    .replace(/^[ .-]+|[ .]+$/g, found => '_'.repeat(found.length));
  while (Buffer.byteLength(safe) > MOST_BYTES) safe = [...safe].slice(0, -1).join('');
  return safe || '_';
}

/** The name, or with a number in front of its extension the first that is free; case does not tell names apart. */
export function freeName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${stem}-${number}${extension}`;
  taken.add(free.toLowerCase());
  return free;
}
