import { expect, test } from 'vitest';
import { currentFolder } from '../../../src/policy/cwd.js';
import { fakeHost } from './fake-host.js';
import { inHost, inImage, mount } from './inside.js';

const host = fakeHost({
  '/data/ws/sub': {},
  '/data/ws/file': 'text',
  '/home': '->/data',
  '/data/ws/out': '->/opt/other',
  '/usr/lib/python3': {},
  '/opt/other': {},
  '/proc/self': {},
  '/data/ws/proc': '->/proc/self',
});
const ws = mount('/data/ws', 'rw');

test.each([
  [undefined, ['/data/ws', '/opt'], '/data/ws'],
  [undefined, [], '/tmp'],
  ['/data/ws', ['/data/ws'], '/data/ws'],
  ['/data/ws/sub/', ['/data/ws'], '/data/ws/sub'],
  ['/home/ws/sub', ['/data/ws'], '/data/ws/sub'],
  ['/data/ws/../ws/sub', ['/data/ws'], '/data/ws/sub'],
  ['/tmp', [], '/tmp'],
  ['/', [], '/'],
  ['/data', [], '/data'],
  ['/usr/lib/python3', [], '/usr/lib/python3'],
])('%s with %j is %s', async (cwd, folders, expected) => {
  expect(await currentFolder(cwd, folders, inHost(ws), host)).toBe(expected);
});

test.each([
  ['/data/ws/missing', /"\/data\/ws\/missing" \(cwd\) cannot be used: "\/data\/ws\/missing" does not exist/],
  ['/data/ws/file', /is a file, not a folder/],
  ['/data/ws/out', /is not there inside the sandbox; add it to fsRead or fsWrite/],
  ['/opt/other', /is not there inside the sandbox/],
  ['/tmp/x', /is not there inside the sandbox/],
  ['/proc/self', /lies under \/proc, \/sys or \/dev/],
  ['/data/ws/proc', /lies under \/proc, \/sys or \/dev/],
  ['/dev/shm', /lies under/],
  ['/usr/lib/../../sys', /lies under/],
])('%s is refused', async (cwd, message) => {
  await expect(currentFolder(cwd, ['/data/ws'], inHost(ws), host)).rejects.toThrow(message);
});

test('in an image, what is in no policy folder is for the supervisor to find', async () => {
  expect(await currentFolder('/srv/app', [], inImage(), host)).toBe('/srv/app');
  await expect(currentFolder('/proc/1', [], inImage(), host)).rejects.toThrow(/lies under/);
  await expect(currentFolder('/data/ws/no', [], inImage(ws), host)).rejects.toThrow(/does not exist/);
});
