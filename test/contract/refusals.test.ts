import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { InvalidRequest } from '../../src/sandbox/errors.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { configFor, leftovers, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

type Loose = Record<string, unknown>;
/** A request that is right, but for what a case changes. */
const right = (work: string): Loose => ({
  cmd: 'true',
  args: [],
  policy: { fsRead: [], fsWrite: [`${work}/plain`], network: 'deny' },
});
const folders = (fsWrite: unknown, fsRead: unknown = []): Loose => ({ policy: { fsRead, fsWrite, network: 'deny' } });

/** Every kind of bad request: what is wrong, the change, and what the message must tell. */
const cases: Array<[string, (work: string) => Loose, RegExp]> = [
  ['no command', () => ({ cmd: undefined }), /cmd/],
  ['an empty command', () => ({ cmd: '' }), /cmd/],
  ['a NUL in an argument', () => ({ args: ['a\0b'] }), /args.*NUL/],
  ['a NUL in a variable', () => ({ env: { A: 'a\0b' } }), /env.*NUL/],
  ['a variable without a name', () => ({ env: { '': 'x' } }), /env/],
  ['a variable with = in its name', () => ({ env: { 'A=B': 'x' } }), /env.*=/],
  ['an argument beyond 128 KiB', () => ({ args: ['x'.repeat(131_072)] }), /args.*131,?072|128 KiB/],
  [
    'arguments beyond 1 MiB',
    () => ({ args: Array.from({ length: 9 }, () => 'x'.repeat(131_000)) }),
    /bytes together.*limit/,
  ],
  [
    '1,001 variables',
    () => ({ env: Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`V${i}`, ''])) }),
    /1,?000/,
  ],
  ['65 folders', work => folders(Array.from({ length: 65 }, () => `${work}/plain`)), /fsWrite has 65 .*limit is 64/],
  ['a timeout of 0', () => ({ timeout: 0 }), /timeout/],
  ['a timeout that is no number', () => ({ timeout: Number.NaN }), /timeout/],
  ['an endless timeout', () => ({ timeout: Number.POSITIVE_INFINITY }), /timeout/],
  ['a timeout beyond the configured', () => ({ timeout: 3_600_001 }), /3600001 ms.*at most 3600000/],
  ['an unknown network', work => ({ policy: { fsRead: [], fsWrite: [work], network: 'some' } }), /network/],
  ['no policy', () => ({ policy: undefined }), /policy/],
  ['a relative folder', () => folders(['work']), /fsWrite.*absolute path.*work/],
  ['a folder that is not there', work => folders([`${work}/typo`]), /typo.*fsWrite.*does not exist/s],
  ['a file for a folder', work => folders([`${work}/file`]), /file.*fsWrite.*folder/s],
  ['the root', () => folders([], ['/']), /"\/" .*fsRead/],
  ['/etc', () => folders([], ['/etc']), /\/etc/],
  ['/tmp itself', () => folders(['/tmp']), /\/tmp/],
  ['a folder of /proc', () => folders([], ['/proc/self']), /\/proc/],
  ['a folder of /run', () => folders([], ['/run/lock']), /\/run/],
  ['a folder in which a program listens', work => folders([`${work}/listening`]), /listening\/agent\.sock/],
  ['a link that lies in a writable folder', work => folders([`${work}/links`, `${work}/links/link`]), /link/],
  ['a current folder that is not there', work => ({ cwd: `${work}/plain/gone` }), /gone.*cwd/s],
  ['a current folder that is a file', work => ({ cwd: `${work}/plain/file` }), /file.*cwd/s],
  ['a current folder that is not shown', () => ({ cwd: '/srv' }), /\/srv.*cwd/s],
  ['a current folder below /proc', () => ({ cwd: '/proc/self' }), /\/proc.*cwd/s],
  ['a command of the host that is not inside', () => ({ cmd: '/opt/nonesuch/tool' }), /\/opt\/nonesuch\/tool/],
];

describe.each(targets)('refusals on $name', target => {
  let sandbox: CodeSandbox;
  const work = workspace();
  const server = createServer();
  beforeAll(async () => {
    // Nothing is started ahead, so that every container there would be a refused run's.
    sandbox = await createCodeSandbox(configFor(target, { warm: { max: 0 } }));
    for (const name of ['plain', 'listening', 'real', 'links']) mkdirSync(`${work.path}/${name}`);
    for (const name of ['file', 'plain/file']) writeFileSync(`${work.path}/${name}`, 'x');
    symlinkSync(`${work.path}/real`, `${work.path}/links/link`);
    await new Promise<void>(resolve => server.listen(`${work.path}/listening/agent.sock`, resolve));
  });
  afterAll(async () => {
    server.close();
    await sandbox.close();
    work[Symbol.dispose]();
  });
  const listing = () => execFileSync('find', [work.path, '-printf', '%p %y %m %s %T@\\n']).toString();

  test.each(cases)('%s', async (_, change, message) => {
    const before = listing();
    // Launchers have a folder for as long as the sandbox is open.
    const there = leftovers(target);
    const run = sandbox.run({ ...right(work.path), ...change(work.path) } as never);
    const error: Error = await run.then(
      () => expect.unreachable('it was not refused'),
      reason => reason,
    );
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error.message).toMatch(message);
    expect(error).not.toHaveProperty('result');
    expect(leftovers(target).filter(name => !there.includes(name))).toEqual([]);
    expect(listing()).toBe(before);
  });

  test('and the request that is right runs', async () => {
    expect(await sandbox.run(right(work.path) as never)).toMatchObject({ code: 0 });
    expect(readdirSync(`${work.path}/plain`)).toEqual(['file']);
  });
});
