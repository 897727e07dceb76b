import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRequest } from '../../../src/policy/request.js';
import { InvalidRequest } from '../../../src/sandbox/errors.js';

const HOUR = 3_600_000;
const good = { cmd: 'python3', args: ['a.py'], policy: { fsRead: ['/w'], fsWrite: ['/w'], network: 'deny' } };
const withPolicy = (part: object) => ({ ...good, policy: { ...good.policy, ...part } });
const check = (request: unknown) => checkRequest(request, HOUR);

function messageOf(request: unknown): string {
  try {
    check(request);
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).not.toHaveProperty('result');
    return (error as Error).message;
  }
  throw new Error('was accepted');
}

describe('a good request', () => {
  test('is copied, and nothing of the caller is kept', () => {
    const checked = check(good);
    expect(checked).toEqual({ ...good, env: [] });
    expect(checked.policy.fsRead).not.toBe(good.policy.fsRead);
  });

  test('keeps the environment exactly, in its order, without what is undefined', () => {
    const env = JSON.parse('{"B":"","A":"x=y\\nz","__proto__":"p","é":"日本"}');
    env.GONE = undefined;
    expect(check({ ...good, env }).env).toEqual([
      ['B', ''],
      ['A', 'x=y\nz'],
      ['__proto__', 'p'],
      ['é', '日本'],
    ]);
  });

  test.each([
    ['the longest argument', { ...good, args: ['x'.repeat(131_071)] }],
    ['the longest variable', { ...good, env: { A: 'x'.repeat(131_069) } }],
    ['64 folders', withPolicy({ fsRead: Array(63).fill('/w') })],
    ['1,000 variables', { ...good, env: Object.fromEntries([...Array(1000).keys()].map(n => [`V${n}`, ''])) }],
    ['the longest timeout', { ...good, timeout: HOUR }],
    ['one millisecond', { ...good, timeout: 1 }],
    ['no folders', withPolicy({ fsRead: [], fsWrite: [] })],
    ['fields of a later contract', { ...good, later: true }],
  ])('%s', (_, request) => {
    expect(() => check(request)).not.toThrow();
  });
});

const throwing = new Proxy(
  {},
  {
    get: () => {
      throw 'no error object';
    },
    ownKeys: () => {
      throw new Error('no');
    },
  },
);
const cyclic: unknown[] = [];
cyclic.push(cyclic);

test.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /it must be an object with cmd, args and policy, not undefined/],
  ['a text', 'rm -rf', /must be an object.*not "rm -rf"/],
  [
    'a getter that throws',
    {
      ...good,
      get cmd(): string {
        throw new Error('boo');
      },
    },
    /reading one of its fields throws/,
  ],
  ['a proxy', throwing, /reading one of its fields throws/],
  ['an environment that is a proxy', { ...good, env: throwing }, /reading one of its fields throws/],
  ['no command', { ...good, cmd: undefined }, /: cmd must be a string, not undefined/],
  ['an empty command', { ...good, cmd: '' }, /cmd is empty; name a command/],
  ['NUL in the command', { ...good, cmd: 'a\0b' }, /cmd contains a NUL character.*"a\\u0000b"/],
  ['args that are a text', { ...good, args: 'x' }, /args must be an array of strings \(\[\] for none\), not "x"/],
  ['a number among args', { ...good, args: ['a', 1] }, /: args\[1\] must be a string, not 1/],
  ['a hole among args', { ...good, args: new Array(2) }, /args\[0\] must be a string, not undefined/],
  ['args within themselves', { ...good, args: cyclic }, /args\[0\] must be a string, not an array/],
  ['an endless array', { ...good, args: new Array(2 ** 32 - 1) }, /args has 4294967295 strings; the limit is 1048576/],
  ['NUL in args', { ...good, args: ['\0'] }, /args\[0\] contains a NUL/],
  ['half a surrogate pair', { ...good, args: ['\ud800'] }, /args\[0\] contains half of a surrogate pair/],
  [
    'too long an argument',
    { ...good, args: ['x'.repeat(131_072)] },
    /args\[0\] is 131073 bytes long.*the limit is 131072/,
  ],
  ['too long in UTF-8', { ...good, args: ['é'.repeat(65_536)] }, /args\[0\] is 131073 bytes long/],
  [
    'too much in all',
    { ...good, args: Array(9).fill('x'.repeat(120_000)) },
    /args and env take 10800\d\d bytes.*1048576/,
  ],
  ['a relative cwd', { ...good, cwd: 'here' }, /cwd must be an absolute path, not "here"/],
  ['an empty cwd', { ...good, cwd: '' }, /cwd must be an absolute path, not ""/],
  ['cwd null', { ...good, cwd: null }, /cwd must be a string, not null/],
  ['NUL in cwd', { ...good, cwd: '/a\0' }, /cwd contains a NUL/],
  ['an env array', { ...good, env: ['A=1'] }, /env must be an object of names and values, not an array/],
  ['env null', { ...good, env: null }, /env must be an object.*not null/],
  ['a numeric variable', { ...good, env: { A: 1 } }, /env: variable "A" must be a string or undefined, not 1/],
  ['an empty name', { ...good, env: { '': 'x' } }, /env: a variable has an empty name/],
  ['= in a name', { ...good, env: { 'A=B': 'x' } }, /env: variable "A=B" has "=" in its name/],
  ['NUL in a name', { ...good, env: { 'A\0': 'x' } }, /env: variable "A\\u0000" contains a NUL/],
  ['NUL in a value', { ...good, env: { A: '\0' } }, /env: variable "A" contains a NUL/],
  ['too long a variable', { ...good, env: { A: 'x'.repeat(131_070) } }, /env: variable "A" is 131073 bytes long/],
  [
    'too many variables',
    { ...good, env: Object.fromEntries([...Array(1001).keys()].map(n => [`V${n}`, ''])) },
    /env has more than 1000 variables/,
  ],
  ['timeout 0', { ...good, timeout: 0 }, /timeout must be at least 1 ms, not 0/],
  ['a negative timeout', { ...good, timeout: -5 }, /timeout must be at least 1 ms, not -5/],
  ['a fraction', { ...good, timeout: 1.5 }, /timeout must be a whole number of milliseconds, not 1.5/],
  ['NaN', { ...good, timeout: Number.NaN }, /timeout must be a whole number of milliseconds, not NaN/],
  ['no end', { ...good, timeout: Number.POSITIVE_INFINITY }, /timeout must be a whole number/],
  ['a timeout as text', { ...good, timeout: '10s' }, /timeout must be a whole number of milliseconds, not "10s"/],
  [
    'above the configured limit',
    { ...good, timeout: HOUR + 1 },
    /timeout is 3600001 ms; the configuration allows at most 3600000 ms \(limits\.maxTimeoutMs\)/,
  ],
  [
    'no policy',
    { ...good, policy: undefined },
    /policy must be an object with fsRead, fsWrite and network, not undefined/,
  ],
  ['no fsRead', withPolicy({ fsRead: undefined }), /policy.fsRead must be an array of absolute paths of folders/],
  ['a relative folder', withPolicy({ fsWrite: ['w'] }), /policy.fsWrite\[0\] must be an absolute path, not "w"/],
  ['NUL in a folder', withPolicy({ fsRead: ['/a\0b'] }), /policy.fsRead\[0\] contains a NUL/],
  [
    'too long a path',
    withPolicy({ fsRead: [`/${'x'.repeat(4096)}`] }),
    /policy.fsRead\[0\] is 4098 bytes.*the limit is 4096/,
  ],
  ['65 folders', withPolicy({ fsRead: Array(64).fill('/w') }), /policy names 65 folders; the limit is 64/],
  [
    '65 folders in a list',
    withPolicy({ fsRead: Array(65).fill('/w') }),
    /policy.fsRead has 65 absolute paths of folders; the limit is 64/,
  ],
  ['an unknown network', withPolicy({ network: 'host' }), /policy.network must be 'deny' or 'allow', not "host"/],
  ['no network', withPolicy({ network: undefined }), /policy.network must be 'deny' or 'allow', not undefined/],
])('%s is refused', (_, request, message) => {
  expect(messageOf(request)).toMatch(message);
});

test('a day is the most, whatever the configuration says', () => {
  expect(() => checkRequest({ ...good, timeout: 24 * HOUR + 1 }, Number.MAX_SAFE_INTEGER)).toThrow(
    /at most 86400000 ms/,
  );
});

test('control characters of a caller do not reach a message', () => {
  expect(messageOf(withPolicy({ fsRead: ['\u001b[2J\n'] }))).not.toMatch(/\p{Cc}/u);
});

test('anything at all is either accepted or an InvalidRequest', () => {
  const any = fc.anything({ withNullPrototype: true, withBigInt: true, withSparseArray: true, withTypedArray: true });
  const broken = fc.tuple(fc.constantFrom('cmd', 'args', 'cwd', 'env', 'timeout', 'policy'), any);
  fc.assert(
    fc.property(broken, ([field, value]) => {
      try {
        check({ ...good, [field]: value });
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidRequest);
      }
    }),
    { numRuns: 2000 },
  );
});
