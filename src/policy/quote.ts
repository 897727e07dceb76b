const INVISIBLE = /[\u007f-\u009f\u2028\u2029\p{Cf}]/gu;

/**
 * A caller's text for a message: in quotes, at most `limit` UTF-16 units of it, and everything that would move a
 * terminal's cursor, break a log line or turn the direction of writing escaped.
 */
export function quote(text: string, limit = 200): string {
  const cut = text.length > limit ? `${text.slice(0, limit)}…` : text;
  return JSON.stringify(cut).replace(INVISIBLE, found => `\\u{${found.codePointAt(0)!.toString(16)}}`);
}
