import { GenericContainer, type StartedTestContainer } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Catalog } from '../../src/images/catalog.js';
import { targets } from '../support/targets.js';

/** What the images are on their own, apart from this package's way to run them: a stranger's uid, read-only, no network. */
describe.each(targets.filter(({ socket }) => socket))('the images without us on $name', target => {
  let catalog: Catalog;
  beforeAll(async () => {
    vi.stubEnv('DOCKER_HOST', `unix://${target.socket}`);
    // Its reaper is an image of a registry.
    vi.stubEnv('TESTCONTAINERS_RYUK_DISABLED', 'true');
    catalog = await Catalog.load([], () => {});
  });
  afterAll(() => vi.unstubAllEnvs());

  const start = (name: string): Promise<StartedTestContainer> =>
    new GenericContainer(catalog.get(name).reference)
      .withUser('12345:12345')
      .withNetworkMode('none')
      .withTmpFs({ '/tmp': 'rw,mode=1777' })
      .withUlimits({ nofile: { soft: 1024, hard: 1024 }, nproc: { soft: 512, hard: 512 } })
      .withCommand(['sleep', '600'])
      .start();

  test.each([
    ['python', ['python3', '-c', 'import os; print(os.getuid(), "ü")'], '12345 ü\n'],
    ['node', ['node', '-p', 'process.getuid() + " ü"'], '12345 ü\n'],
    ['python-data', ['python3', '-c', 'import pandas, scipy; print(pandas.Series([1, 2]).sum())'], '3\n'],
    ['polyglot', ['sh', '-c', 'cd /tmp && git init -q r && python3 -c "print(1)" && node -p 2'], '1\n2\n'],
  ])('%s', { timeout: 180_000 }, async (name, command, stdout) => {
    const container = await start(name);
    try {
      const environment = ['env', '-i', 'PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/tmp', 'LANG=C.UTF-8'];
      const { exitCode, output, stderr } = await container.exec([...environment, ...command]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
      expect(output).toBe(stdout);
      const written = await container.exec([
        'sh',
        '-c',
        'exec 2>/dev/null; touch /usr/x /etc/x /x; find / -xdev -perm /6000 -type f',
      ]);
      expect(written.output).toBe('');
    } finally {
      await container.stop({ timeout: 0 });
    }
  });
});
