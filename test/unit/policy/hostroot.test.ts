import { describe, expect, test } from 'vitest';
import { hostRoot, withPrefixes } from '../../../src/policy/hostroot.js';
import { nodeHost } from '../../../src/policy/node-host.js';
import { fakeHost } from './fake-host.js';

const debian = fakeHost({
  '/usr/bin/python3.11': 'elf',
  '/usr/bin/python3': '->python3.11',
  '/usr/bin/node': '->/etc/alternatives/node',
  '/usr/bin/perl': '->/srv/perl',
  '/srv/perl': 'elf',
  '/usr/lib/nodejs/node': 'elf',
  '/usr/lib64': '->lib',
  '/usr/local/bin/ruby': 'elf',
  '/usr/local/etc/npmrc': 'token',
  '/usr/etc/npmrc': 'token',
  '/bin': '->usr/bin',
  '/lib': {},
  '/etc/alternatives/node': '->/usr/lib/nodejs/node',
  '/etc/ssl/certs': {},
  '/etc/ssl/private': {},
  '/etc/shadow': 'x',
  '/etc/passwd': 'x',
  '/etc/pip.conf': 'x',
  '/etc/npmrc': 'x',
  '/etc/gitconfig': 'x',
  '/etc/environment': 'x',
  '/etc/apt/auth.conf': 'x',
  '/etc/ssh/ssh_host_key': 'x',
  '/etc/python3.11/sitecustomize.py': 'x',
  '/etc/python3-secret': {},
  '/etc/localtime': '->/usr/share/zoneinfo/UTC',
  '/usr/share/zoneinfo/UTC': 'x',
  '/etc/os-release': '->/srv/os-release',
  '/srv/os-release': 'x',
});

describe('the host as data', () => {
  test('/usr entry by entry, a list of /etc, links as links', async () => {
    const { root, entries } = await hostRoot(debian);
    expect(root.mounts.map(mount => mount.target)).toEqual([
      '/usr/bin',
      '/usr/lib',
      '/usr/share',
      '/lib',
      '/etc/alternatives',
      '/etc/localtime',
      '/etc/ssl/certs',
      '/etc/python3.11',
    ]);
    expect(root.mounts.every(mount => mount.mode === 'ro')).toBe(true);
    expect(root.mounts.find(mount => mount.target === '/etc/localtime')?.source).toBe('/usr/share/zoneinfo/UTC');
    expect(entries).toContainEqual({ path: 'bin', kind: 'link', to: 'usr/bin' });
    expect(entries).toContainEqual({ path: 'usr/lib64', kind: 'link', to: 'lib' });
  });

  test('only interpreters that lead to something visible are named', async () => {
    const { root } = await hostRoot(debian);
    expect(root.commands).toEqual({
      python3: '/usr/bin/python3',
      'python3.11': '/usr/bin/python3.11',
      node: '/usr/bin/node',
    });
  });

  test('/usr/local is shown when asked for, without its settings', async () => {
    const { root } = await hostRoot(debian, { usrLocal: true });
    const local = root.mounts.map(mount => mount.target).filter(target => target.startsWith('/usr/local'));
    expect(local).toEqual(['/usr/local/bin']);
    expect(root.commands?.ruby).toBe('/usr/local/bin/ruby');
    expect(root.path[0]).toBe('/usr/local/bin');
  });

  test('a prefix is added once', async () => {
    const { root } = await hostRoot(debian, { usrLocal: true });
    expect(await withPrefixes(debian, root, ['/usr/local'])).toEqual(root);
  });
});

test('this very host: nothing secret lies in what is shown', async () => {
  const { root } = await hostRoot(nodeHost);
  const shown = (path: string) => root.mounts.some(({ source }) => path === source || path.startsWith(`${source}/`));
  const secret = [
    '/etc/shadow',
    '/etc/gshadow',
    '/etc/ssl/private',
    '/etc/ssh',
    '/etc/environment',
    '/etc/passwd',
    '/usr/etc/npmrc',
  ];
  expect(secret.filter(shown)).toEqual([]);
  expect(['/home', '/root', '/run', '/var', '/usr/local/bin'].filter(shown)).toEqual([]);
  expect(root.mounts.length).toBeGreaterThan(3);
});
