import { judgeBounds } from './judge/bounds.js';
import { judgeControl } from './judge/control.js';
import { judgeEnd } from './judge/end.js';
import { judgeEnvironment } from './judge/environment.js';
import { judgeMounts, judgeOwnership } from './judge/folders.js';
import { judgeDisk, judgeMemory, judgePids } from './judge/limits.js';
import { judgeNetwork } from './judge/network.js';
import { judgePrivilege } from './judge/privilege.js';
import { judgeReads } from './judge/reads.js';
import { judgeWrites } from './judge/writes.js';
import type { Observation } from './observation.js';
import type { Guarantee } from './report.js';
import { Verdict } from './verdict.js';

interface Rule {
  title: string;
  judge: (seen: Observation, verdict: Verdict) => void;
  /** The operator may accept that it is not kept. */
  soft?: boolean;
}

/** Guarantees 1 to 13, in their order. */
const RULES: readonly Rule[] = [
  { title: 'writes go to the granted folders and bounded private ones only', judge: judgeWrites },
  { title: 'the network is as the policy says', judge: judgeNetwork },
  { title: 'the environment is what was asked for', judge: judgeEnvironment },
  { title: 'reads reach the image and the granted folders only', judge: judgeReads },
  { title: 'no way to an engine or another control socket', judge: judgeControl },
  { title: 'memory is limited', judge: judgeMemory, soft: true },
  { title: 'the number of processes is limited', judge: judgePids, soft: true },
  { title: 'files belong to whom they should, without setuid bits', judge: judgeOwnership },
  { title: 'the mount is the folder', judge: judgeMounts },
  { title: 'no privilege', judge: judgePrivilege },
  { title: 'the end is the end', judge: judgeEnd },
  { title: 'disk use is limited', judge: judgeDisk, soft: true },
  { title: 'requests are bounded', judge: judgeBounds },
];

/** What the guarantees are called, in their order. */
export const GUARANTEES: readonly string[] = RULES.map(({ title }) => title);

/**
 * What the observation says about each guarantee. Pure.
 * @param allowDegraded Soft guarantees that are not kept are degraded, not failed.
 */
export function judge(seen: Observation, allowDegraded: boolean): Guarantee[] {
  return RULES.map(({ title, judge: look, soft }, index) => {
    const verdict = new Verdict();
    look(seen, verdict);
    const { broken, weak, proven, advice } = verdict;
    const failed = broken.length > 0 && !(soft && allowDegraded);
    const status = failed ? 'failed' : broken.length + weak.length > 0 ? 'degraded' : 'enforced';
    return { id: index + 1, title, status, evidence: [...broken, ...weak, ...proven], ...(advice ? { advice } : {}) };
  });
}
