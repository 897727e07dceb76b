import { describe, expect, it } from 'vitest';
import { explain } from '../../../../src/engine/discover/explain.js';
import { networkFailure } from '../../../../src/engine/failure.js';

const strategy = (engine?: 'podman' | 'docker') => ({
  name: 'x',
  ...(engine && { engine }),
  advice: 'do that',
  locate: () => '',
});
const failure = (code: string) => networkFailure('GET /_ping', Object.assign(new Error('no'), { code }));

describe('explain', () => {
  it('does not hold the absence of what nobody named against the host', () => {
    const reason = 'there is no such socket (do that)';
    expect(explain(failure('ENOENT'), strategy(), true)).toEqual({ outcome: 'not-applicable', reason });
    expect(explain(failure('ENOENT'), strategy(), false)).toEqual({ outcome: 'declined', reason });
  });

  it.each(['EACCES', 'EPERM'])('says what to do about %s', code => {
    expect(explain(failure(code), strategy('docker'), true).reason).toMatch(/rootless Podman, or .* group docker/);
    expect(explain(failure(code), strategy(), false).reason).toMatch(/group docker/);
    expect(explain(failure(code), strategy('podman'), true).reason).toMatch(/belongs to another user/);
  });

  it('leaves the rest in the words of the failure', () => {
    const outcome = { outcome: 'declined', reason: 'GET /_ping: the host name is unknown (ENOTFOUND)' };
    expect(explain(failure('ENOTFOUND'), strategy(), true)).toEqual(outcome);
  });
});
