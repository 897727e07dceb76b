import type { HostView } from '../../../../src/engine/discover/host.js';

/** A Linux host of an ordinary user, with what is given laid over it. */
export function fakeHost(parts: Partial<HostView> & { files?: Record<string, string> } = {}): HostView {
  const { files = {}, ...rest } = parts;
  return { platform: 'linux', uid: 1000, home: '/home/u', env: {}, read: path => files[path], ...rest };
}
