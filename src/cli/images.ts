import type { Command } from 'commander';
import { addBuild } from './images-build.js';
import { addCheck } from './images-check.js';
import { addList } from './images-list.js';
import { addRoots } from './images-roots.js';
import { addTransfer } from './images-transfer.js';

/** `code-sandbox images` */
export function addImages(program: Command): void {
  const images = program
    .command('images')
    .description('interpreter images: list, build, check, carry to other machines');
  addList(images);
  addBuild(images);
  addCheck(images);
  addTransfer(images);
  addRoots(images);
}
