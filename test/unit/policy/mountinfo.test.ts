import { expect, test } from 'vitest';
import { isPlaceWithin, mountOf, mountsBelow, parseMountinfo, placeOf } from '../../../src/policy/mountinfo.js';

const mounts = parseMountinfo(
  [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    '22 27 0:21 / /proc rw,relatime shared:5 master:1 - proc proc rw',
    '40 27 254:0 /etc /srv/odd\\040name\\134\\012x ro - ext4 /dev/vda rw',
    '41 27 0:50 / /srv/data rw - tmpfs tmpfs rw',
    '42 41 0:51 /sub /srv/data/deep rw - tmpfs tmpfs rw',
    '43 27 0:52 / /srv/data rw - xfs /dev/vdb rw',
    '',
  ].join('\n'),
);

test('fields are read, with what the kernel escapes', () => {
  expect(mounts).toHaveLength(6);
  expect(mounts[1]).toEqual({ device: '0:21', root: '/', point: '/proc', type: 'proc' });
  expect(mounts[2]!.point).toBe('/srv/odd name\\\nx');
});

test('a path lies on the nearest mount, and of several at one point on the last', () => {
  expect(mountOf(mounts, '/srv/database')?.device).toBe('254:0');
  expect(mountOf(mounts, '/srv/data/x')?.device).toBe('0:52');
  expect(mountOf(mounts, '/srv/data/deep/er')?.device).toBe('0:51');
});

test('mounts below a folder do not count its own', () => {
  expect(mountsBelow(mounts, '/srv/data').map(mount => mount.point)).toEqual(['/srv/data/deep']);
  expect(mountsBelow(mounts, '/srv/database')).toEqual([]);
});

test('a place is the same however it is reached', () => {
  expect(placeOf(mounts, '/srv/odd name\\\nx/ssl')).toEqual({ device: '254:0', path: '/etc/ssl' });
  expect(placeOf(mounts, '/srv/data/deep/er')).toEqual({ device: '0:51', path: '/sub/er' });
  expect(isPlaceWithin(placeOf(mounts, '/srv/odd name\\\nx/ssl'), placeOf(mounts, '/etc'))).toBe(true);
  expect(isPlaceWithin(placeOf(mounts, '/proc/etc'), placeOf(mounts, '/etc'))).toBe(false);
});

test('without a mount table, paths are places', () => {
  expect(parseMountinfo('')).toEqual([]);
  expect(placeOf([], '/a')).toEqual({ device: '', path: '/a' });
});
