import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { listContainers } from '../../src/engine/containers.js';
import { importImage } from '../../src/engine/image.js';
import { removeImage } from '../../src/engine/imagelist.js';
import { currentOwner } from '../../src/reaper/owner.js';
import { takeFromEngine } from '../../src/roots/export.js';
import { RootStore } from '../../src/roots/store.js';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import { shell } from '../support/request.js';
import { configFor, direct, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

const REFERENCE = 'localhost/code-sandbox-test/unpack:1';
const engines = targets.filter(({ socket }) => socket);

/** A shell with its libraries, a link out of the root, a setuid program. */
function smallImage(folder: string): Readable {
  const libraries = [
    ...execFileSync('ldd', ['/bin/sh'])
      .toString()
      .matchAll(/(\/\S+\.so\S*)/g),
  ];
  for (const path of ['/bin/sh', ...libraries.map(([found]) => found)])
    execFileSync('install', ['-D', realpathSync(path), join(folder, path)]);
  execFileSync('sh', ['-c', 'ln -s /etc/shadow link && cp bin/sh bin/su && chmod 4755 bin/su && mkdir tmp'], {
    cwd: folder,
  });
  return Readable.from([execFileSync('tar', ['-C', folder, '-c', '.'], { maxBuffer: 1 << 26 })]);
}

describe.skipIf(!direct).each(engines)('an image of $name, without the engine', engine => {
  let work: ReturnType<typeof workspace>;
  const before = process.env.XDG_CACHE_HOME;
  beforeEach(() => {
    work = workspace();
    process.env.XDG_CACHE_HOME = join(work.path, 'cache');
  });
  afterEach(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
    work[Symbol.dispose]();
  });

  test('is taken once, and runs', async () => {
    const store = new RootStore();
    mkdirSync(join(work.path, 'image'));
    await using client = await EngineClient.connect({ socketPath: engine.socket! });
    await importImage(client, smallImage(join(work.path, 'image')), {
      reference: REFERENCE,
      changes: ['ENV PATH=/bin'],
    });
    try {
      const taken = await takeFromEngine(store, client, REFERENCE, currentOwner());
      expect(taken.path).toEqual(['/bin']);
      expect(await takeFromEngine(store, client, REFERENCE, currentOwner())).toEqual(taken);
      const left = await listContainers(client, ['code-sandbox.managed']);
      expect(left.flatMap(({ names }) => names).filter(name => name.endsWith('-export'))).toEqual([]);
    } finally {
      await removeImage(client, REFERENCE);
    }
    await using sandbox = await createCodeSandbox(configFor(direct!, { root: { image: REFERENCE } }));
    expect(sandbox.backend).toBe('oci');
    expect(
      await shell(sandbox, 'echo $PATH; [ -u /bin/su ] || echo plain; (: >/bin/x) 2>/dev/null || echo closed'),
    ).toMatchObject({
      code: 0,
      stdout: '/bin\nplain\nclosed\n',
    });
  });
});
