/** Different lines that are said; a caller with ever new names or folders fills neither the log nor the memory. */
const MOST_LINES = 1000;

/** Says a line of the log once, however often it comes. */
export function once(say: (line: string) => void): (line: string) => void {
  const said = new Set<string>();
  return line => {
    if (said.has(line) || said.size >= MOST_LINES) return;
    said.add(line);
    say(line);
  };
}
