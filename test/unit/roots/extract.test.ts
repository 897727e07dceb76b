import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extractRoot } from '../../../src/roots/extract.js';
import { workspace } from '../../support/workspace.js';
import { archiveOf } from './archive.js';

type Entries = Parameters<typeof archiveOf>[0];

async function unpacked(entries: Entries, check: (root: string) => void): Promise<void> {
  using work = workspace();
  const root = join(work.path, 'root');
  mkdirSync(root);
  await extractRoot(archiveOf(entries), root);
  check(root);
  expect(readdirSync(work.path)).toEqual(['root']);
}

async function refused(entries: Entries, why: RegExp, bounds?: { bytes: number; entries: number }): Promise<void> {
  using work = workspace();
  const root = join(work.path, 'root');
  mkdirSync(root);
  await expect(extractRoot(archiveOf(entries), root, bounds)).rejects.toThrow(why);
  expect(readdirSync(work.path)).toEqual(['root']);
}

describe('what an image holds', () => {
  test('files, folders, links and hard links', async () => {
    const mtime = new Date('2020-02-02T02:02:02Z');
    await unpacked(
      [
        { name: './usr/', type: 'directory', mode: 0o700 },
        { name: './usr/bin/tool', mode: 0o700, content: 'tool', mtime },
        { name: 'etc/secret', mode: 0o600, content: 'plain' },
        { name: 'bin', type: 'symlink', linkname: 'usr/bin' },
        { name: 'usr/same', type: 'link', linkname: './usr/bin/tool' },
        { name: 'empty', content: '' },
      ],
      root => {
        expect(readFileSync(join(root, 'usr/bin/tool'), 'utf8')).toBe('tool');
        expect(statSync(join(root, 'usr/bin/tool')).mtime).toEqual(mtime);
        expect(statSync(join(root, 'usr/bin/tool')).mode & 0o7777).toBe(0o555);
        expect(statSync(join(root, 'usr')).mode & 0o7777).toBe(0o755);
        expect(statSync(join(root, 'etc/secret')).mode & 0o7777).toBe(0o444);
        expect(readlinkSync(join(root, 'bin'))).toBe('usr/bin');
        expect(statSync(join(root, 'usr/same')).ino).toBe(statSync(join(root, 'usr/bin/tool')).ino);
        expect(readFileSync(join(root, 'etc/resolv.conf'), 'utf8')).toBe('');
      },
    );
  });

  test('a later entry replaces an earlier one, a link as well', async () => {
    await unpacked(
      [
        { name: 'a', type: 'symlink', linkname: '/etc/passwd' },
        { name: 'a', content: 'mine' },
      ],
      root => {
        expect(lstatSync(join(root, 'a')).isFile()).toBe(true);
        expect(readFileSync(join(root, 'a'), 'utf8')).toBe('mine');
      },
    );
  });

  test('no setuid bit, no device, no pipe', async () => {
    await unpacked(
      [
        { name: 'su', mode: 0o6755, content: 'x' },
        { name: 'dev/sda', type: 'block-device' },
        { name: 'dev/mem', type: 'character-device' },
        { name: 'pipe', type: 'fifo' },
      ],
      root => {
        expect(statSync(join(root, 'su')).mode & 0o7777).toBe(0o555);
        expect(readdirSync(root).sort()).toEqual(['etc', 'su']);
      },
    );
  });
});

describe('what is refused', () => {
  test.each([
    ['..', [{ name: '../out', content: 'x' }], /leads out of the root/],
    ['.. in the middle', [{ name: 'a/../../out', content: 'x' }], /leads out of the root/],
    ['a hard link out', [{ name: 'a', type: 'link', linkname: '../../etc/passwd' }], /leads out of the root/],
    ['a hard link to the host', [{ name: 'a', type: 'link', linkname: '/etc/passwd' }], /does not hold/],
    [
      'a file behind a link',
      [
        { name: 'a', type: 'symlink', linkname: '..' },
        { name: 'a/out', content: 'x' },
      ],
      /lies behind "a", which is a link/,
    ],
    [
      'a folder behind a link',
      [
        { name: 'a', type: 'symlink', linkname: '/tmp' },
        { name: 'a/out/', type: 'directory' },
      ],
      /lies behind "a"/,
    ],
    [
      'a hard link behind a link',
      [
        { name: 'f', content: 'x' },
        { name: 'a', type: 'symlink', linkname: '/tmp' },
        { name: 'a/f', type: 'link', linkname: 'f' },
      ],
      /lies behind "a"/,
    ],
    ['a link for /etc', [{ name: 'etc', type: 'symlink', linkname: '/etc' }], /lies behind "etc"/],
    [
      'a file for a folder',
      [
        { name: 'a/b', content: 'x' },
        { name: 'a', content: 'x' },
      ],
      /would replace a folder/,
    ],
    ['too long a name', [{ name: 'x'.repeat(256), content: 'x' }], /too long/],
    ['too deep a path', [{ name: 'x/'.repeat(2000), type: 'directory' }], /too long/],
  ] as Array<[string, Entries, RegExp]>)('%s', async (_, entries, why) => {
    await refused(entries, why);
  });

  test('more bytes or entries than allowed', async () => {
    const three = ['a', 'b', 'c'].map(name => ({ name, content: 'x'.repeat(100) }));
    await refused(three, /more than 250 bytes/, { bytes: 250, entries: 10 });
    await refused(three, /more than 2 entries/, { bytes: 1000, entries: 2 });
  });

  test('an archive that breaks off', async () => {
    using work = workspace();
    const whole = Buffer.concat(await archiveOf([{ name: 'a', content: 'x'.repeat(5000) }]).toArray());
    const { Readable } = await import('node:stream');
    await expect(extractRoot(Readable.from([whole.subarray(0, 2000)]), work.path)).rejects.toThrow();
  });
});
