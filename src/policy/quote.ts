/** Below U+0020, all but line break and tab. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it is about
const CONTROL = /[\u0000-\u0008\u000b-\u001f]/g;
const INVISIBLE = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/**
 * A caller's text for a message: in quotes, at most `limit` UTF-16 units of it, and everything that would move a
 * terminal's cursor, break a log line or turn the direction of writing escaped.
 */
export function quote(text: string, limit = 200): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return escapeInvisible(JSON.stringify(cut));
}

/** A program's text for a terminal: only line breaks and tabs of it still move the cursor. */
export function printable(text: string): string {
  return escapeInvisible(text.replace(CONTROL, braced));
}

/** Escapes what nobody sees and what turns the direction of writing; of the control characters only those above U+007E. */
export function escapeInvisible(text: string, escaped: (found: string) => string = braced): string {
  return text.replace(INVISIBLE, escaped);
}

function braced(found: string): string {
  return `\\u{${found.codePointAt(0)!.toString(16)}}`;
}
