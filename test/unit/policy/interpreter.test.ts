import { expect, test } from 'vitest';
import { commandInside } from '../../../src/policy/interpreter.js';
import type { Inside } from '../../../src/policy/visible.js';
import { InvalidRequest } from '../../../src/sandbox/errors.js';
import { fakeHost } from './fake-host.js';
import { inHost, inImage, mount } from './inside.js';

const host = fakeHost({
  '/usr/bin/python3.11': 'elf',
  '/usr/bin/python3': '->python3.11',
  '/bin': '->usr/bin',
  '/root/.pyenv/shims/python3': '#!',
  '/ws/tool': '#!',
  '/ws/.venv/bin/python': '->/usr/bin/python3.11',
  '/ws/.venv2/bin/python': '->/root/.pyenv/versions/3.12/bin/python3.12',
  '/root/.pyenv/versions/3.12/bin/python3.12': 'elf',
  '/ws/secret': '->/root/.pyenv/shims/python3',
});
const here = inHost(mount('/ws', 'rw'));
const image = inImage(mount('/ws', 'rw'));
const bare: Inside = { mounts: [], root: { ...image.root, commands: undefined } as Inside['root'] };

test.each([
  ['python3', 'python3', here],
  ['no-such-thing', 'no-such-thing', here],
  ['/usr/bin/python3.11', '/usr/bin/python3.11', here],
  ['/bin/python3', '/bin/python3', here],
  ['/ws/tool', '/ws/tool', here],
  ['./tool', '/ws/./tool', here],
  ['.venv/bin/python', '/ws/.venv/bin/python', here],
  ['/ws/not-yet-there', '/ws/not-yet-there', here],
  ['/ws/tool', '/ws/tool', image],
  ['/usr/bin/python3', '/usr/bin/python3', image],
  ['/opt/app/start', '/opt/app/start', image],
])('%s stays %s', async (cmd, command, inside) => {
  expect(await commandInside(cmd, '/ws', inside, host)).toEqual({ command, warnings: [] });
});

test.each([
  ['/root/.pyenv/shims/python3', '/usr/bin/python3', here],
  ['/home/u/venv/bin/python', '/usr/bin/python3', here],
  ['/usr/bin/python3.9', '/usr/bin/python3', here],
  ['/ws/.venv2/bin/python', '/usr/bin/python3', here],
  ['/home/u/.nvm/versions/node/v22.1.0/bin/node', '/usr/bin/node', here],
  ['/opt/nodejs', '/usr/bin/node', here],
  ['/usr/bin/python3.11', '/usr/bin/python3', image],
  ['/ws/.venv/bin/python', '/usr/bin/python3', image],
  ['/usr/bin/python3.11', 'python3', bare],
])('%s becomes %s, and a warning says so', async (cmd, command, inside) => {
  const found = await commandInside(cmd, '/ws', inside, host);
  expect(found.command).toBe(command);
  expect(found.warnings).toEqual([expect.stringContaining(`${command} of its root`)]);
  expect(found.warnings[0]).toContain(JSON.stringify(cmd));
});

test.each([
  ['/opt/ruby', here, /"\/opt\/ruby" is not there inside the sandbox, whose root "host" has python3, node\./],
  ['/usr/bin/ruby', here, /root "host" has python3, node/],
  ['/bin/bash', here, /is not there inside/],
  ['.', here, /is a folder/],
  ['..', image, /is a folder/],
  ['/usr/bin/bash', image, /root "python:3" has python3, node/],
])('%s is refused, and the message tells what there is', async (cmd, inside, message) => {
  const attempt = commandInside(cmd, '/ws', inside, host);
  await expect(attempt).rejects.toThrow(InvalidRequest);
  await expect(attempt).rejects.toThrow(message);
});
