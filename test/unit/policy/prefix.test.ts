import { expect, test } from 'vitest';
import { prefixesOf, prefixMounts } from '../../../src/policy/prefix.js';
import { fakeHost } from './fake-host.js';

const host = fakeHost({
  '/root/.pyenv/versions/3.12.1/bin/python3.12': 'elf',
  '/root/.pyenv/versions/3.12.1/bin/python3': '->python3.12',
  '/root/.pyenv/versions/3.12.1/lib/python3.12/os.py': 'py',
  '/root/.pyenv/versions/3.12.1/pip.conf': 'token',
  '/root/.pyenv/versions/3.12.1/share/man': {},
  '/root/.pyenv/shims/python3': '#!',
  '/root/nvm/v22/bin/node': 'elf',
  '/root/nvm/v22/etc/npmrc': 'token',
  '/root/nvm/v22/lib/node_modules/npm/npmrc': 'token',
  '/root/nvm/v22/lib/node_modules/npm/index.js': 'js',
  '/root/nvm/v22/lib/node_modules/corepack': {},
  '/root/nvm/v22/lib/other': {},
  '/srv/venv/pyvenv.cfg': 'home = x',
  '/srv/venv/pip.conf': 'token',
  '/srv/venv/bin/python': '->/root/.pyenv/versions/3.12.1/bin/python3',
  '/srv/venv/lib/python3.12/site-packages': {},
  '/srv/venv/lib64': '->lib',
  '/opt/conda/bin/python': 'elf',
  '/opt/conda/conda-meta': {},
  '/opt/conda/.condarc': 'token',
  '/opt/conda/ssl/cacert.pem': 'certificates',
  '/opt/conda/ssl/cert.pem': '->cacert.pem',
  '/opt/conda/ssl/key.pem': '->private/key.pem',
  '/opt/conda/ssl/elsewhere': '->/etc/ssl',
  '/opt/conda/ssl/private/key.pem': 'key',
  '/usr/bin/python3': 'elf',
  '/usr/lib/python3': {},
  '/home/u/bin/node': 'elf',
});
const targets = async (prefix: string) =>
  (await prefixMounts(host, prefix)).map(mount => mount.target.slice(prefix.length + 1));

test.each([
  ['/root/.pyenv/versions/3.12.1', ['bin', 'lib']],
  ['/srv/venv', ['bin', 'lib', 'pyvenv.cfg']],
  ['/opt/conda', ['bin', 'ssl/cacert.pem', 'ssl/cert.pem']],
  ['/root/nvm/v22', ['bin', 'lib/node_modules/corepack', 'lib/node_modules/npm/index.js', 'lib/other']],
  ['/nowhere', []],
])('%s shows what it needs to run, and neither settings nor keys', async (prefix, expected) => {
  expect(await targets(prefix)).toEqual(expected);
});

test.each([
  ['/root/.pyenv/versions/3.12.1/bin/python3', ['/root/.pyenv/versions/3.12.1']],
  ['/srv/venv/bin/python', ['/srv/venv', '/root/.pyenv/versions/3.12.1']],
  ['/root/nvm/v22/bin/node', ['/root/nvm/v22']],
  ['/opt/conda/bin/python', ['/opt/conda']],
  ['/usr/bin/python3', []],
  ['/root/.pyenv/shims/python3', []],
  ['/home/u/bin/node', []],
  ['/missing', []],
])('%s needs %j', async (interpreter, prefixes) => {
  expect(await prefixesOf(host, interpreter)).toEqual(prefixes);
});
