import { expect, test } from 'vitest';
import { surveyHost } from '../../../src/policy/hazards.js';
import { fakeHost } from './fake-host.js';

const host = fakeHost({
  '/run': {},
  '/var/run': '->/run',
  '/data/docker': {},
  '/var/lib/docker': '->/data/docker',
  '/home/u/.local/share/containers': {},
  '/home/u/.gnupg/S.gpg-agent': { kind: 'socket' },
  '/mnt/own': {},
  '/etc/group': 'root:x:0:\ndocker:x:998:u\nusers:x:100:\nsudo:x:27:u\n',
});

async function paths(known: Parameters<typeof surveyHost>[1]) {
  return (await surveyHost(host, known)).hazards.map(hazard => hazard.path);
}

test('system folders count whether they are there or not, and so does where they lead', async () => {
  expect(await paths({})).toEqual(
    expect.arrayContaining(['/', '/usr', '/etc', '/proc', '/sys', '/dev', '/tmp', '/boot']),
  );
  expect((await paths({})).filter(path => path.endsWith('/run'))).toEqual(['/run', '/var/run', '/run']);
});

test('storage counts where it is, also where it was moved to or an engine told of', async () => {
  const found = await paths({ home: '/home/u', storage: ['/mnt/own', '/mnt/none'] });
  expect(found).toEqual(
    expect.arrayContaining(['/var/lib/docker', '/data/docker', '/home/u/.local/share/containers', '/mnt/own']),
  );
  expect(found).not.toContain('/mnt/none');
  expect(found).not.toContain('/var/lib/containers');
});

test.each([
  [{ DOCKER_HOST: 'unix:///home/u/d.sock' }, '/home/u/d.sock'],
  [{ CONTAINER_HOST: '/home/u/p.sock' }, '/home/u/p.sock'],
  [{ SSH_AUTH_SOCK: '/tmp/ssh-x/agent.1' }, '/tmp/ssh-x/agent.1'],
  [{ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/srv/bus,guid=12' }, '/srv/bus'],
  [{ XDG_RUNTIME_DIR: '/srv/runtime' }, '/srv/runtime'],
])('%j is heard', async (env, path) => {
  expect(await paths({ env })).toContain(path);
});

test('addresses that are no paths are passed over', async () => {
  expect(await paths({ env: { DOCKER_HOST: 'tcp://127.0.0.1:2375', NOTIFY_SOCKET: '@/x' } })).toEqual(await paths({}));
});

test('places of launchers’ files count for code that writes there, also where they lead', async () => {
  const { hazards } = await surveyHost(host, { launchers: ['/var/run', '/srv/tmp'] });
  const found = hazards.filter(({ readable, closed }) => readable && !closed);
  expect(found.map(({ path }) => path)).toEqual(['/var/run', '/run', '/srv/tmp']);
});

test('programs that run on the host, and what names them, count for code that writes there', async () => {
  const files = fakeHost({
    '/usr/bin': {},
    '/usr/local/bin': {},
    '/bin': '->/usr/bin',
    '/srv/app/own': {},
    '/etc/group': '',
  });
  const { hazards } = await surveyHost(files, { own: ['/srv/app/own'], home: '/home/u' });
  const found = hazards.filter(({ readable, closed }) => readable && closed);
  const tools = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/bin'];
  // Whether they are there or not: code could make them.
  const settings = ['/etc/containers', '/etc/docker', '/home/u/.config/containers', '/home/u/.config/docker'];
  expect(found.map(({ path }) => path)).toEqual([...tools, ...settings, '/srv/app/own']);
});

test("agents' sockets below home count while they are there", async () => {
  const found = await paths({ home: '/home/u', sockets: ['/home/u/engine.sock'] });
  expect(found).toContain('/home/u/.gnupg/S.gpg-agent');
  expect(found).toContain('/home/u/engine.sock');
  expect(found).not.toContain('/home/u/.docker/run/docker.sock');
});

test('privileged groups are found by name', async () => {
  expect((await surveyHost(host)).privilegedGids).toEqual(new Set([0, 998, 27]));
});
