import type { Owner, OwnerState } from './owner.js';

const PREFIX = 'code-sandbox';

/** Label that marks every container of ours; engines filter by it. */
export const MARK = `${PREFIX}.managed`;

/** What a container's labels say about it. */
export interface Claim {
  instance: string;
  owner: Owner;
  /** Milliseconds since the epoch after which the container may be removed by anybody. */
  deadline: number;
}

/** Labels for a new container. */
export function toLabels(claim: Claim): Record<string, string> {
  return {
    [MARK]: 'true',
    [`${PREFIX}.instance`]: claim.instance,
    [`${PREFIX}.owner`]: JSON.stringify(claim.owner),
    [`${PREFIX}.deadline`]: String(claim.deadline),
  };
}

/** Names begin like this; an image can carry our labels, but no image can name a container. */
export const NAME_PREFIX = `${PREFIX}-`;

/** @returns the claim, or undefined where the labels are not ours or were forged clumsily. */
export function fromLabels(labels: Record<string, string>): Claim | undefined {
  try {
    const owner = JSON.parse(labels[`${PREFIX}.owner`] ?? '') as Owner;
    const deadline = Number(labels[`${PREFIX}.deadline`]);
    const instance = labels[`${PREFIX}.instance`];
    if (labels[MARK] !== 'true' || !instance || !Number.isFinite(deadline) || typeof owner.pid !== 'number') return;
    return { instance, owner, deadline };
  } catch {
    return undefined;
  }
}

/** Whether anybody may remove a container of ours: its owner is gone, or nothing is known of it and time is up. */
export function removable(claim: Claim, state: OwnerState, now: number): boolean {
  return state === 'dead' || (state === 'unknown' && now > claim.deadline);
}
