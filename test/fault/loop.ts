import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A small ext4 file system in a file, mounted until the end of the scope. Takes root. */
export function smallDisk(mebibytes: number): { path: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'small-disk-'));
  const [file, path] = [join(folder, 'image'), join(folder, 'mounted')];
  writeFileSync(file, '');
  truncateSync(file, mebibytes * 1024 * 1024);
  execFileSync('mkfs.ext4', ['-q', '-m', '0', file]);
  mkdirSync(path);
  execFileSync('mount', ['-o', 'loop', file, path]);
  chmodSync(path, 0o755);
  return {
    path,
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', path]);
      rmSync(folder, { recursive: true });
    },
  };
}
