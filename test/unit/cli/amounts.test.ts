import { expect, test } from 'vitest';
import { duration, mebibytes, variable } from '../../../src/cli/amounts.js';
import { exitCodeOf, exitCodeOfError } from '../../../src/cli/exit.js';
import { BackendUnavailable, InvalidRequest, SandboxBusy } from '../../../src/sandbox/errors.js';
import type { RunResult } from '../../../src/sandbox/result.js';

test.each([
  ['10s', 10_000],
  ['500ms', 500],
  ['2m', 120_000],
  ['3', 3000],
  ['0.5', 500],
])('the time %s is %i ms', (text, value) => expect(duration(text)).toBe(value));

test.each(['', 'soon', '-1s', '0', 'NaN', '1e9999s'])('%j is no time', text =>
  expect(() => duration(text)).toThrow(/time/),
);

test.each([
  ['512m', 512],
  ['2g', 2048],
  ['1048576', 1],
  ['64MB', 64],
])('the size %s is %i MiB', (text, value) => expect(mebibytes(text)).toBe(value));

test.each(['', 'much', '10', '-5m', '1k'])('%j is no size', text => expect(() => mebibytes(text)).toThrow(/size/));

test('variables keep everything behind the first =', () => {
  expect(variable('A=b=c', { Z: '' })).toEqual({ Z: '', A: 'b=c' });
  expect(() => variable('=x', {})).toThrow(/NAME=value/);
  expect(() => variable('NOT_SET_ANYWHERE', {})).toThrow(/NAME=value/);
  expect(variable('PATH', {})).toEqual({ PATH: process.env.PATH });
});

test('exit codes are those that shells use', () => {
  const result = (part: Partial<RunResult>) => ({ code: 0, end: 'exit', timedOut: false, ...part }) as RunResult;
  expect(exitCodeOf(result({ code: 3 }))).toBe(3);
  expect(exitCodeOf(result({ code: null, timedOut: true, end: 'timeout' }))).toBe(124);
  expect(exitCodeOf(result({ code: null, end: 'aborted' }))).toBe(143);
  expect(exitCodeOf(result({ code: null, end: 'disk' }))).toBe(125);
  expect(exitCodeOfError(new InvalidRequest('x', 'command-not-found'))).toBe(127);
  expect(exitCodeOfError(new InvalidRequest('x', 'command-not-executable'))).toBe(126);
  for (const error of [new InvalidRequest('x'), new BackendUnavailable('x'), new SandboxBusy('x'), new Error('x')]) {
    expect(exitCodeOfError(error)).toBe(125);
  }
});
