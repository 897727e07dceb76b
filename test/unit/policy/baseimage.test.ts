import { buffer } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { baseEntries, baseImage, type Entry } from '../../../src/policy/baseimage.js';

const system: Entry[] = [
  { path: 'usr/bin', kind: 'folder' },
  { path: 'bin', kind: 'link', to: 'usr/bin' },
];

function contentOf(entries: Entry[], path: string): string | undefined {
  const entry = entries.find(each => each.path === path);
  return entry?.kind === 'file' ? entry.content : undefined;
}

test.each([
  [
    { uid: 1000, gid: 50 },
    'root:x:0:0::/tmp:/bin/sh\nsandbox:x:1000:50::/tmp:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n',
  ],
  [{ uid: 0, gid: 0 }, 'root:x:0:0::/tmp:/bin/sh\nnobody:x:65534:65534::/tmp:/bin/sh\n'],
  [{ uid: 65534, gid: 65534 }, 'root:x:0:0::/tmp:/bin/sh\nsandbox:x:65534:65534::/tmp:/bin/sh\n'],
])('passwd for %j names each uid once', (user, passwd) => {
  expect(contentOf(baseEntries(system, [user]), 'etc/passwd')).toBe(passwd);
});

test('parents come first, and /home, /root, /run and /var are not there', () => {
  const paths = baseEntries(system, []).map(entry => entry.path);
  expect(paths.indexOf('usr')).toBeLessThan(paths.indexOf('usr/bin'));
  expect(paths.indexOf('etc')).toBeLessThan(paths.indexOf('etc/passwd'));
  expect(paths.filter(path => ['home', 'root', 'run', 'var'].includes(path))).toEqual([]);
});

test('the archive has the same bytes each time, and is readable', async () => {
  const entries = baseEntries(system, [{ uid: 1000, gid: 1000 }]);
  const first = await buffer(baseImage(entries));
  expect(first.equals(await buffer(baseImage(entries)))).toBe(true);
  const found: Record<string, string> = {};
  const archive = extract();
  archive.end(first);
  for await (const entry of archive) {
    const { name, type, mode, uid, linkname } = entry.header;
    found[name] = `${type} ${mode?.toString(8)} ${uid} ${linkname ?? ''}`.trim();
    entry.resume();
  }
  expect(found).toMatchObject({
    'tmp/': 'directory 1777 0',
    'usr/bin/': 'directory 755 0',
    bin: 'symlink 777 0 usr/bin',
    'etc/hosts': 'file 644 0',
  });
});
