import type { Mount, Root } from '../../../src/policy/plan.js';
import type { Inside } from '../../../src/policy/visible.js';

export const mount = (target: string, mode: Mount['mode'] = 'ro', source = target): Mount => ({ source, target, mode });

export const HOST: Root = {
  kind: 'host',
  name: 'host',
  mounts: [mount('/usr/bin'), mount('/usr/lib'), mount('/etc/ssl/certs')],
  path: ['/usr/bin', '/bin'],
  env: {},
  commands: { python3: '/usr/bin/python3', node: '/usr/bin/node' },
};

export const IMAGE: Root = {
  ...HOST,
  kind: 'image',
  name: 'python:3',
  mounts: [],
  path: ['/usr/local/bin', '/usr/bin'],
};

export const inHost = (...mounts: Mount[]): Inside => ({ mounts, root: HOST });
export const inImage = (...mounts: Mount[]): Inside => ({ mounts, root: IMAGE });
