import { z } from 'zod';
import { BOUNDS } from './bounds.js';
import { quote } from './quote.js';

const LONE_SURROGATE = /\p{Cs}/u;

/** What a value is, for someone who gave the wrong one. */
function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === 'string') return quote(value, 60);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** Bytes that a string takes in an exec, its NUL included. */
export function execBytes(text: string): number {
  return Buffer.byteLength(text) + 1;
}

/** Why a string cannot be handed to a program exactly as it is; undefined when it can. */
function unfit(text: string, bytes: number): string | undefined {
  if (text.length >= bytes || execBytes(text) > bytes) {
    return `is ${execBytes(text)} bytes long with its closing NUL; the limit is ${bytes}. Hand long data over in a file`;
  }
  if (text.includes('\0'))
    return `contains a NUL character, which no argument, variable or path can hold: ${quote(text)}`;
  if (LONE_SURROGATE.test(text)) return `contains half of a surrogate pair, which UTF-8 cannot express: ${quote(text)}`;
  return undefined;
}

function text(bytes: number) {
  return z.string({ error: issue => `must be a string, not ${kindOf(issue.input)}` }).superRefine((value, context) => {
    const message = unfit(value, bytes);
    if (message) context.addIssue({ code: 'custom', message });
  });
}

/** The length is looked at before any item: `new Array(2 ** 32 - 1)` must not be walked. */
function list<T extends z.ZodType>(item: T, most: number, what: string) {
  return z
    .custom<unknown[]>(value => Array.isArray(value) && value.length <= most, {
      error: ({ input }) =>
        Array.isArray(input)
          ? `has ${input.length} ${what}; the limit is ${most}`
          : `must be an array of ${what} ([] for none), not ${kindOf(input)}`,
    })
    .pipe(z.array(item));
}

const absolutePath = text(BOUNDS.pathBytes).refine(path => path.startsWith('/'), {
  error: ({ input }) => `must be an absolute path, not ${kindOf(input)}`,
});

/** Own enumerable keys only, in their order; a key such as `__proto__` is a name like any other. */
const environment = z
  .custom<object>(value => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: ({ input }) => `must be an object of names and values, not ${kindOf(input)}`,
  })
  .transform((variables, context) => {
    const pairs: Array<[name: string, value: string]> = [];
    const fail = (message: string) => {
      context.addIssue({ code: 'custom', message });
      return z.NEVER;
    };
    for (const name of Object.keys(variables)) {
      const value = (variables as Record<string, unknown>)[name];
      if (value === undefined) continue;
      const variable = `variable ${quote(name, 60)}`;
      if (typeof value !== 'string') return fail(`: ${variable} must be a string or undefined, not ${kindOf(value)}`);
      if (name === '') return fail(': a variable has an empty name');
      if (name.includes('='))
        return fail(`: ${variable} has "=" in its name, so that programs would read another name`);
      const message = unfit(`${name}=${value}`, BOUNDS.stringBytes);
      if (message) return fail(`: ${variable} ${message}`);
      pairs.push([name, value]);
      if (pairs.length > BOUNDS.variables)
        return fail(` has more than ${BOUNDS.variables} variables, which is the limit`);
    }
    return pairs;
  });

const folders = list(absolutePath, BOUNDS.folders, 'absolute paths of folders');

const object = (what: string) => ({
  error: (issue: { input?: unknown }) => `must be an object with ${what}, not ${kindOf(issue.input)}`,
});

/** The contract's request as data of our own: nothing of the caller's objects lives on in what it yields. */
export const requestSchema = z.object(
  {
    cmd: text(BOUNDS.stringBytes).refine(cmd => cmd !== '', { error: 'is empty; name a command or the path of one' }),
    args: list(text(BOUNDS.stringBytes), BOUNDS.totalBytes, 'strings'),
    cwd: absolutePath.optional(),
    env: environment.optional(),
    timeout: z
      .int({ error: issue => `must be a whole number of milliseconds, not ${kindOf(issue.input)}` })
      .min(1, { error: issue => `must be at least 1 ms, not ${kindOf(issue.input)}` })
      .optional(),
    policy: z.object(
      {
        fsRead: folders,
        fsWrite: folders,
        network: z.enum(['deny', 'allow'], { error: issue => `must be 'deny' or 'allow', not ${kindOf(issue.input)}` }),
      },
      object('fsRead, fsWrite and network'),
    ),
  },
  object('cmd, args and policy'),
);
