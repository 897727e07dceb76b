import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { deadInstances, makeFolder, runtimePlaces } from '../../../src/launcher/folder.js';
import { sweepLaunchers } from '../../../src/launcher/sweep.js';
import { currentOwner } from '../../../src/reaper/owner.js';
import { removeOwned } from '../../../src/reaper/owner-file.js';

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
    await expect(makeFolder({ owner: self, cgroups: [] }, ['/nonexistent', '/dev/null'])).rejects.toThrow(
      /in \/nonexistent \(ENOENT\), \/dev\/null \(ENOTDIR\); make room/,
    );
  });

  test('is swept when its owner is dead, and only then', async () => {
    const mine = await makeFolder({ owner: self, cgroups: [] }, [place]);
    const left = await makeFolder({ owner: dead, cgroups: ['/nonexistent/cgroup'] }, [place]);
    expect((await deadInstances(self, [place])).map(({ path }) => path)).toEqual([left]);
    expect(await sweepLaunchers(self, [place])).toBe(1);
    expect([existsSync(mine), existsSync(left)]).toEqual([true, false]);
  });

  test('is swept whatever its neighbours hold, which others may have put there', async () => {
    const forge = (name: string, mode = 0o700) => {
      const folder = join(place, `code-sandbox-launcher-${name}`);
      mkdirSync(folder);
      chmodSync(folder, mode);
      return folder;
    };
    const claim = JSON.stringify({ owner: dead, cgroups: [] });
    execFileSync('mkfifo', [join(forge('fifo'), 'owner.json')]);
    symlinkSync('/dev/zero', join(forge('link'), 'owner.json'));
    writeFileSync(join(forge('huge'), 'owner.json'), claim.padEnd(1_000_000));
    writeFileSync(join(forge('empty'), 'owner.json'), 'null');
    writeFileSync(join(forge('open', 0o777), 'owner.json'), claim);
    mkdirSync(join(place, 'target'));
    writeFileSync(join(place, 'target', 'owner.json'), claim);
    symlinkSync(join(place, 'target'), join(place, 'code-sandbox-launcher-away'));
    if (process.getuid?.() === 0) {
      writeFileSync(join(forge('other'), 'owner.json'), claim);
      chownSync(join(place, 'code-sandbox-launcher-other'), 1, 1);
    }
    const left = await makeFolder({ owner: dead, cgroups: [] }, [place]);
    expect((await deadInstances(self, [place, '/nonexistent'])).map(({ path }) => path)).toEqual([left]);
  });

  test('is swept when its owner was killed before it had said whose it is, and only then', async () => {
    const make = (name: string, files: Record<string, string>, seconds: number) => {
      const folder = join(place, `code-sandbox-launcher-${name}`);
      mkdirSync(folder);
      for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
      utimesSync(folder, Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);
      return folder;
    };
    const gone = [make('bare', {}, 61), make('begun', { 'owner.json': '' }, 61)];
    const stay = [make('young', {}, 30), make('used', { other: '' }, 61), make('odd', { 'owner.json': 'x' }, 61)];
    const away = make('away', {}, 61);
    if (process.getuid?.() === 0) stay.push(away) && chownSync(away, 1, 1);
    await sweepLaunchers(self, [place]);
    expect(gone.filter(existsSync)).toEqual([]);
    expect(stay.filter(folder => !existsSync(folder))).toEqual([]);
  });

  test('says whose it is until nothing else is left of it', async () => {
    const left = await makeFolder({ owner: dead, cgroups: [] }, [place]);
    for (const name of ['a', 'owner.json.d', 'z']) mkdirSync(join(left, name));
    const watcher = watch(left);
    const removed: string[] = [];
    watcher.on('change', (_event, name) => removed.push(String(name)));
    await removeOwned(left);
    await expect.poll(() => removed).toContain('owner.json');
    watcher.close();
    expect(removed.slice(0, 3).sort()).toEqual(['a', 'owner.json.d', 'z']);
    await removeOwned(left);
  });

  test('ends no process on the word of a forged claim', async () => {
    const cgroup = join(place, 'code-sandbox-oci-x');
    mkdirSync(cgroup);
    const victim = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      writeFileSync(join(cgroup, 'cgroup.procs'), `${victim.pid}\n`);
      await makeFolder({ owner: { ...dead, boot: 'another' }, cgroups: [cgroup] }, [place]);
      expect(await sweepLaunchers(self, [place])).toBe(1);
      expect([victim.signalCode, existsSync(cgroup)]).toEqual([null, true]);
    } finally {
      victim.kill('SIGTERM');
    }
    expect(await once(victim, 'exit')).toEqual([null, 'SIGTERM']);
  });

  test('root’s never lies in the folder of a user', () => {
    expect(runtimePlaces(0, { XDG_RUNTIME_DIR: '/run/user/1000' })).toEqual(['/run', tmpdir()]);
    expect(runtimePlaces(7, { XDG_RUNTIME_DIR: '/x' })).toEqual(['/x', '/run/user/7', tmpdir()]);
    expect(runtimePlaces(7, {})).toEqual(['/run/user/7', tmpdir()]);
  });
});
