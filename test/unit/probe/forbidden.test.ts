import { describe, expect, it } from 'vitest';
import { checkRequest } from '../../../src/policy/request.js';
import { forbiddenRequests } from '../../../src/probe/forbidden.js';
import { InvalidRequest } from '../../../src/sandbox/errors.js';

const requests = forbiddenRequests('/srv/x', ['/run/docker.sock', '/run/podman/podman.sock', '/run/other.sock']);

describe('forbiddenRequests', () => {
  it('names each folder with a control socket once', () => {
    const folders = requests.filter(({ guarantee }) => guarantee === 5).map(({ request }) => request.policy.fsRead);
    expect(folders).toEqual([['/run'], ['/run/podman']]);
  });

  it.each(requests.filter(({ guarantee }) => guarantee === 13))(
    'is refused by the check of requests: $what',
    ({ request }) => {
      expect(() => checkRequest(request, 24 * 3_600_000)).toThrow(InvalidRequest);
    },
  );
});
