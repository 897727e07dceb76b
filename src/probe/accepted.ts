import { forbiddenRequests } from './forbidden.js';
import type { AcceptedRequest } from './observation.js';
import type { ProbeInput } from './observe.js';

/** Hands the policy what it must refuse. @returns what it accepted, which is none as it should be */
export async function acceptedRequests(
  { prepare, controlSockets }: Pick<ProbeInput, 'prepare' | 'controlSockets'>,
  folder: string,
): Promise<AcceptedRequest[]> {
  const tried = forbiddenRequests(folder, controlSockets).map(async ({ request, ...offence }) => {
    try {
      await (await prepare(request, {})).release();
      return [offence];
    } catch {
      return [];
    }
  });
  return (await Promise.all(tried)).flat();
}
