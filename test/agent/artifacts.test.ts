import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Agent } from '../support/agent.js';
import { agentOn } from '../support/agent-on.js';
import { targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

describe.each(targets)('artifacts on $name', target => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await agentOn(target, { artifacts: { maxFiles: 6, maxBytes: 1024 * 1024 } });
  });
  afterAll(() => agent[Symbol.asyncDispose]());

  test('what a run leaves is kept with its facts, and the scratch folder goes', async () => {
    using work = workspace();
    const script = 'cd $SCRATCH/artifacts; mkdir plots; printf abc > plots/a.png; echo text > b.txt; exit 9';
    const result = await agent.sh(work, script);
    expect(result).toMatchObject({ code: 9, omitted: [] });
    const folder = `${agent.dataDir}/sandbox/${result.id}`;
    expect(result.artifacts).toEqual([
      {
        path: 'b.txt',
        file: `${folder}/artifacts/b.txt`,
        size: 5,
        sha256: createHash('sha256').update('text\n').digest('hex'),
        mediaType: 'text/plain',
      },
      expect.objectContaining({ path: 'plots/a.png', size: 3, mediaType: 'image/png' }),
    ]);
    expect(readFileSync(`${folder}/artifacts/plots/a.png`, 'utf8')).toBe('abc');
    expect(statSync(`${folder}/artifacts/b.txt`).mode & 0o777).toBe(0o600);
    await expect.poll(() => readdirSync(folder), { timeout: 5000 }).toEqual(['artifacts']);
  });

  test('nothing but plain files of the run’s own is read', async () => {
    using work = workspace();
    const code = `
import os, socket, sys
os.chdir(os.environ['SCRATCH'] + '/artifacts')
os.symlink('/etc/shadow', 'shadow'); os.symlink('/proc/self/root/etc', 'etc'); os.symlink('../../../../etc', 'up')
os.mkfifo('fifo')
socket.socket(socket.AF_UNIX).bind('socket')
open('one', 'w').write('x'); os.link('one', 'two')
with open('huge', 'wb') as f: f.truncate(2 * 1024 ** 3 - 1)
os.mkdir('closed', 0); os.mkdir('folder'); open('folder/fine', 'w').write('fine')
open(b'bad-\\xff\\xfe', 'w').write('bytes')
open('new\\nline \\x1b[2J..', 'w').write('n')
open('x' * 255, 'w').write('long')`;
    const result = await agent.python(work, code);
    expect(result.stderr).toBe('');
    const kept = result.artifacts.map(({ path }) => path).toSorted();
    expect(kept).toEqual(['bad-__', 'folder/fine', 'new_line __2J__', 'x'.repeat(200)].toSorted());
    const why = Object.fromEntries(result.omitted.map(({ path, reason }) => [path, reason]));
    for (const link of ['shadow', 'etc', 'up']) expect(why[`"${link}"`]).toBe('is a symbolic link');
    expect(why['"fifo"']).toBe('is not a plain file');
    expect(why['"socket"']).toMatch(/socket/);
    for (const name of ['one', 'two']) expect(why[`"${name}"`]).toMatch(/several names/);
    expect(why['"huge"']).toMatch(/has 2147483647 bytes/);
    for (const { file } of result.artifacts) expect(file.startsWith(`${agent.dataDir}/sandbox/`)).toBe(true);
  });

  test('the artifacts folder itself as a link, as a file, or gone', async () => {
    using work = workspace();
    const link = await agent.sh(work, 'cd /scratch; rmdir artifacts; ln -s /etc artifacts');
    expect(link).toMatchObject({ artifacts: [], omitted: [{ path: 'artifacts' }] });
    expect((await agent.sh(work, 'cd /scratch; rmdir artifacts; echo > artifacts')).artifacts).toEqual([]);
    expect(await agent.sh(work, 'rmdir /scratch/artifacts')).toMatchObject({ code: 0, artifacts: [], omitted: [] });
  });

  test('more than is kept is listed, and a flood of names ends', async () => {
    using work = workspace();
    const many = 'cd /scratch/artifacts; for i in 1 2 3 4 5 6 7 8; do echo > $i; done';
    const some = await agent.sh(work, many);
    expect(some.artifacts).toHaveLength(6);
    expect(some.omitted.map(({ reason }) => reason)).toEqual(Array(2).fill('is beyond the 6 files that are kept'));
    const flood =
      'import os\nos.chdir("/scratch/artifacts")\nfor i in range(20000): os.close(os.open(str(i), os.O_CREAT))';
    const result = await agent.python(work, flood);
    expect(result.artifacts).toHaveLength(6);
    expect(result.omitted.length).toBeLessThanOrEqual(101);
  });

  test('a scratch folder that is deep, closed and full of links is removed all the same', async () => {
    using work = workspace();
    const code = `
import os
os.chdir('/scratch')
os.symlink('/workspace', 'out'); os.mkdir('shut'); open('shut/x', 'w'); os.chmod('shut', 0)
for i in range(3000):
  os.mkdir('d' * 100); os.chdir('d' * 100)`;
    const result = await agent.python(work, code);
    expect(result).toMatchObject({ code: 0, stderr: '' });
    await expect.poll(() => existsSync(`${agent.dataDir}/sandbox/${result.id}`), { timeout: 20_000 }).toBe(false);
  });
});
