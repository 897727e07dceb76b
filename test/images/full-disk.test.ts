import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { describe, expect, test } from 'vitest';
import { EngineClient } from '../../src/engine/client.js';
import { inspectImage } from '../../src/engine/image.js';
import { Catalog } from '../../src/images/catalog.js';
import { smallDisk } from '../fault/loop.js';
import { kinds, OwnEngine } from '../support/own-engine.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const CACHE = fileURLToPath(new URL('../../.cache', import.meta.url));

/** Less than the smallest image takes. */
const MIB = 60;

describe.runIf(process.getuid!() === 0).each(kinds)('an engine on a disk that is too small: $name', like => {
  test('a build says so, and nothing has the tag', { timeout: 300_000 }, async () => {
    using disk = smallDisk(MIB);
    const storage = join(disk.path, 'storage');
    mkdirSync(storage);
    await using engine = await OwnEngine.start(like, { storage });
    const args = ['images', 'build', 'base', '--base', 'local', '--socket', engine.target.socket!];
    const built = await execa(process.execPath, ['--', MAIN, ...args], {
      reject: false,
      env: { XDG_CACHE_HOME: CACHE },
    });
    expect(built.exitCode).toBe(125);
    expect(built.stderr).toMatch(/no space left on device/i);
    await using client = await EngineClient.connect({ socketPath: engine.target.socket! });
    const { reference } = (await Catalog.load([], () => {})).get('base');
    expect(await inspectImage(client, reference)).toBeUndefined();
  });
});
