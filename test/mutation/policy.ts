import type { Mutation } from './mutation.js';

/** What the policy refuses before anything is made. */
export const policyMutations: Mutation[] = [
  {
    option: 'folders that are the system’s, hold a control socket, or one on which the host listens',
    notices: ['a folder in which the host listens', 'the system’s own folders'],
    root: true,
    change: { blind: 'objection' },
  },
  {
    option: 'links that lie where code may write',
    notices: ['a link that one run plants for the next one’s folder'],
    change: { blind: 'links' },
  },
];
