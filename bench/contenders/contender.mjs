/**
 * One way to run a program. All have the same shape, so that they can take turns.
 * @typedef {object} Contender
 * @property {string} name
 * @property {boolean} ours
 * @property {(program: import('../programs.mjs').Program) => Promise<number>} run answers in milliseconds
 * @property {() => Promise<void>} close ends it, and waits until nothing of its runs is left
 * @property {() => Promise<object | undefined> | object | undefined} [warm] how sandboxes that were started ahead did
 * @property {() => Promise<object>} [footprint] of the process that it runs in, where that is not this one
 */

/**
 * A contender that is not there yet.
 * @typedef {object} Entry
 * @property {string} name
 * @property {boolean} [ours]
 * @property {boolean} [images] it can run in an image
 * @property {() => Promise<Contender>} open rejects where this machine cannot
 */

import { verify } from '../programs.mjs';

/**
 * Times what answers the program's output, and verifies it.
 * @param {Entry} entry
 * @param {(program: import('../programs.mjs').Program) => Promise<string>} outputOf
 * @param {() => Promise<void>} [close]
 * @returns {Contender}
 */
export function contender({ name, ours = false }, outputOf, close = async () => {}) {
  const run = async program => {
    const started = performance.now();
    const stdout = await outputOf(program);
    const ms = performance.now() - started;
    verify(program, stdout);
    return ms;
  };
  return { name, ours, run, close };
}
