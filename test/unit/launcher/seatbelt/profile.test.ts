import { describe, expect, test } from 'vitest';
import { seatbeltProfile } from '../../../../src/launcher/seatbelt/profile.js';
import type { Limits, Mount, Plan } from '../../../../src/policy/plan.js';

const mount = (path: string, mode: Mount['mode']): Mount => ({ source: path, target: path, mode });
const plan: Plan = {
  mounts: [mount('/Users/u/work', 'rw'), mount('/Users/u/data "x"\\', 'ro')],
  network: 'deny',
  user: { uid: 501, gid: 20, groups: [] },
  limits: {} as Limits,
  root: { kind: 'host', name: 'host', mounts: [mount('/opt/homebrew/lib', 'ro')], path: [], env: {} },
};
const HOME = '/private/tmp/code-sandbox-launcher-x/id/home';
const lines = seatbeltProfile(plan, HOME).split('\n');
const rule = (start: string) => lines.filter(line => line.startsWith(start)).join('\n');

describe('seatbeltProfile', () => {
  test('denies what it does not name', () => {
    expect(lines.slice(0, 2)).toEqual(['(version 1)', '(deny default)']);
    expect(lines.join('\n')).not.toMatch(
      /allow default|appleevent|job-creation|\(allow (mach-lookup|file-read\*|signal|process-exec)\)/,
    );
  });

  test('reads reach system folders and the granted ones', () => {
    const read = rule('(allow file-read*');
    expect(read).toContain('(subpath "/usr/lib")');
    expect(read).toContain('(subpath "/Users/u/work")');
    expect(read).toContain('(subpath "/opt/homebrew/lib")');
    expect(read).not.toMatch(/subpath "\/(Users|private|Users\/u|private\/tmp|private\/etc)?"\)/);
    expect(rule('(allow file-read-metadata')).toContain('(literal "/Users/u")');
  });

  test('writes reach the writable folders and the private one', () => {
    expect(rule('(allow file-write*')).toBe(
      `(allow file-write* (subpath "${HOME}"))\n(allow file-write* (subpath "/Users/u/work"))`,
    );
    expect(rule('(allow file-write-data')).toBe('(allow file-write-data (literal "/dev/null") (literal "/dev/zero"))');
    expect(lines).toContain('(deny file-write-setugid)');
  });

  test('what is read-only in a writable folder stays so, and so do the folders above it', () => {
    const nested = [
      mount('/w/.git/hooks', 'ro'),
      mount('/w', 'rw'),
      mount('/w/.git', 'rw'),
      mount('/w/.git/hooks/mine', 'rw'),
    ];
    const rules = seatbeltProfile({ ...plan, mounts: nested }, HOME).split('\n');
    const at = rules.indexOf('(allow file-write* (subpath "/w"))');
    expect(rules.slice(at, at + 5)).toEqual([
      '(allow file-write* (subpath "/w"))',
      '(allow file-write* (subpath "/w/.git"))',
      '(deny file-write* (subpath "/w/.git/hooks"))',
      '(allow file-write* (subpath "/w/.git/hooks/mine"))',
      `(deny file-write-unlink (literal "${HOME}") (literal "/w/.git/hooks") (literal "/w") (literal "/w/.git") (literal "/w/.git/hooks/mine"))`,
    ]);
  });

  test('quotes what a path may hold', () => {
    expect(rule('(allow file-read*')).toContain('(subpath "/Users/u/data \\"x\\"\\\\")');
  });

  test('services by name, and none that starts programs or tells secrets', () => {
    const services = rule('(allow mach-lookup');
    expect(services.match(/global-name/g)).toHaveLength(3);
    expect(services).not.toMatch(/launchservices|pasteboard|securityd|windowserver|coreservices/i);
  });

  test('other processes are neither seen nor signalled', () => {
    expect(lines).toContain('(allow process-info* (target same-sandbox))');
    expect(lines).toContain('(allow signal (target same-sandbox))');
    expect(rule('(allow sysctl-read')).not.toMatch(/kern\.proc/);
  });

  test('no network with deny; with allow addresses only, and not this machine’s own loopback', () => {
    expect(lines.join('\n')).not.toContain('network');
    const allowed = seatbeltProfile({ ...plan, network: 'allow' }, HOME);
    expect(allowed).toContain('(allow network-outbound (remote ip))');
    expect(allowed).toContain('(deny network-outbound (remote ip "localhost:*"))');
    expect(allowed).not.toMatch(/unix-socket|allow network\*/);
  });
});
