import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { expect } from 'vitest';
import { shell } from '../support/request.js';
import { type Attack, folderOf } from './attack.js';

/** Guarantee 9, of what a mount brings along. */
export const mounts: Attack[] = [
  {
    name: 'a file system that is mounted in a readable folder',
    guarantee: 9,
    needs: 'root',
    async run({ sandbox }) {
      using open = folderOf();
      const inner = `${open.path}/inner`;
      mkdirSync(inner);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=777,size=1m', 'tmpfs', inner]);
      try {
        const outcome = await shell(sandbox, `touch ${inner}/new`, { policy: { fsRead: [open.path] } }).then(
          ({ code }) => code,
          error => error.name,
        );
        expect([1, 'InvalidRequest']).toContain(outcome);
        expect(readdirSync(inner)).toEqual([]);
      } finally {
        execFileSync('umount', [inner]);
      }
    },
  },
];
