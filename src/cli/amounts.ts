import bytes from 'bytes';
import { InvalidArgumentError } from 'commander';
import ms, { type StringValue } from 'ms';

/** `10s`, `2m`, `500ms`; a bare number is seconds. @returns milliseconds */
export function duration(text: string): number {
  const bare = /^\d{1,9}(\.\d+)?$/.test(text);
  const value = bare || /^\d{1,9}(\.\d+)?(ms|[smhd])$/.test(text) ? ms((bare ? `${text}s` : text) as StringValue) : 0;
  if (value < 1) {
    throw new InvalidArgumentError('Give a time such as 500ms, 10s or 2m.');
  }
  return Math.round(value);
}

/** `512m`, `2g`; a bare number is bytes. @returns mebibytes */
export function mebibytes(text: string): number {
  const value = /^\d+(\.\d+)?[kmgt]?b?$/i.test(text) ? bytes.parse(/[kmgt]$/i.test(text) ? `${text}b` : text) : null;
  if (value === null || value < 1024 * 1024)
    throw new InvalidArgumentError('Give a size of at least 1m, such as 512m or 2g.');
  return Math.ceil(value / (1024 * 1024));
}

/** A whole number of at least 1. */
export function count(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give a whole number of at least 1.');
  return Number(text);
}

/** `NAME=value`, or `NAME` for the caller's own value; collected over repeated options. */
export function variable(text: string, previous: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  const [name, value] = at < 0 ? [text, process.env[text]] : [text.slice(0, at), text.slice(at + 1)];
  if (name === '' || value === undefined) {
    throw new InvalidArgumentError('Give NAME=value, or the NAME of a variable that is set.');
  }
  return { ...previous, [name]: value };
}

/** Collects a repeated option. */
export function collect(text: string, previous: string[]): string[] {
  return [...previous, text];
}
