import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deadFolders, makeFolder, runtimePlaces } from '../../../src/launcher/folder.js';
import { sweepLaunchers } from '../../../src/launcher/sweep.js';
import { currentOwner } from '../../../src/reaper/owner.js';

describe('the folder of an instance', () => {
  const self = currentOwner();
  const dead = { ...self, start: '1' };
  let place: string;
  beforeEach(() => {
    place = mkdtempSync(join(tmpdir(), 'folder-test-'));
  });
  afterEach(() => rmSync(place, { recursive: true }));

  test('is closed to others, in the first place that takes it', async () => {
    const path = await makeFolder({ owner: self, cgroups: [] }, ['/nonexistent', place]);
    expect(path.startsWith(`${place}/`)).toBe(true);
    expect(statSync(path).mode & 0o777).toBe(0o700);
    await expect(makeFolder({ owner: self, cgroups: [] }, ['/nonexistent'])).rejects.toThrow('/nonexistent');
  });

  test('is swept when its owner is dead, and only then', async () => {
    const mine = await makeFolder({ owner: self, cgroups: [] }, [place]);
    const left = await makeFolder({ owner: dead, cgroups: ['/nonexistent/cgroup'] }, [place]);
    expect((await deadFolders(self, [place])).map(({ path }) => path)).toEqual([left]);
    expect(await sweepLaunchers(self, [place])).toBe(1);
    expect([existsSync(mine), existsSync(left)]).toEqual([true, false]);
  });

  test('root’s never lies in the folder of a user', () => {
    expect(runtimePlaces(0, { XDG_RUNTIME_DIR: '/run/user/1000' })).toEqual(['/run', tmpdir()]);
    expect(runtimePlaces(7, { XDG_RUNTIME_DIR: '/x' })).toEqual(['/x', '/run/user/7', tmpdir()]);
    expect(runtimePlaces(7, {})).toEqual(['/run/user/7', tmpdir()]);
  });
});
