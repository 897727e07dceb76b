import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCodeSandbox } from '../../src/sandbox/create.js';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { request, resultOf } from '../support/request.js';
import { configFor, targets } from '../support/targets.js';
import { workspace } from '../support/workspace.js';

/** Any text that UTF-8 can express, without NUL. */
const text = fc.string({ unit: 'binary', maxLength: 40 }).map(value => value.replaceAll('\0', '0'));
const name = text.filter(value => value !== '' && !value.includes('='));
/** Any bytes that can name a file. */
const fileName = fc
  .uint8Array({ minLength: 1, maxLength: 255 })
  .map(bytes => Buffer.from(bytes.map(byte => (byte === 0 || byte === 0x2f ? 0x5f : byte))))
  .filter(bytes => !['.', '..'].includes(bytes.toString('latin1')));

/** Keys that the sandbox sets itself, whatever a request says, are not for this. */
const OWN = new Set(['PATH', 'HOME', 'HOSTNAME', 'LANG', 'LOGNAME', 'TMPDIR', 'USER', 'PYTHONPATH', 'PYTHONHOME']);
const isOwn = (key: string) => OWN.has(key) || /^(PYTHON|LC_|LD_|MALLOC_|GLIBC_)/.test(key);

const SHOW = `import json, os, sys
hexed = lambda bytes: bytes.hex()
print(json.dumps({'args': [hexed(os.fsencode(arg)) for arg in sys.argv[1:]],
  'env': {hexed(key): hexed(value) for key, value in os.environb.items()}}))`;
const NAMES = `import json, os, sys
for name in json.load(open('names.json')): open(bytes.fromhex(name), 'w').close()
print(json.dumps([name.hex() for name in os.listdir(b'.')]))`;

const hex = (value: string | Buffer) => Buffer.from(value).toString('hex');

describe.each(targets)('what goes in arrives byte for byte: $name', target => {
  let sandbox: CodeSandbox;
  beforeAll(async () => {
    sandbox = await createCodeSandbox(configFor(target));
  });
  afterAll(async () => {
    await sandbox.close();
  });

  test('arguments and variables of any text', { timeout: 180_000 }, async () => {
    const args = fc.array(text, { maxLength: 200 });
    const env = fc.dictionary(name, text, { maxKeys: 100 });
    await fc.assert(
      fc.asyncProperty(args, env, async (args, env) => {
        for (const key of Object.keys(env)) if (isOwn(key)) delete env[key];
        const { stdout } = await resultOf(sandbox, request('python3', ['-c', SHOW, ...args], { env }));
        const seen = JSON.parse(stdout);
        expect(seen.args).toEqual(args.map(hex));
        for (const [key, value] of Object.entries(env)) expect(seen.env[hex(key)], key).toBe(hex(value));
      }),
      { numRuns: 12 },
    );
  });

  test('file names of any bytes, in both directions', { timeout: 180_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fileName, { maxLength: 300, selector: hex }), async names => {
        using work = workspace();
        const [before, made] = [names.slice(0, names.length / 2), names.slice(names.length / 2)];
        for (const bytes of before) writeFileSync(Buffer.concat([Buffer.from(`${work.path}/`), bytes]), '');
        writeFileSync(join(work.path, 'names.json'), JSON.stringify(made.map(hex)));
        const wanted = request('python3', ['-c', NAMES], { policy: { fsWrite: [work.path] } });
        const { stdout } = await resultOf(sandbox, wanted);
        const all = [...names.map(hex), hex('names.json')].sort();
        expect(JSON.parse(stdout).sort()).toEqual(all);
        expect(readdirSync(work.path, { encoding: 'buffer' }).map(hex).sort()).toEqual(all);
      }),
      { numRuns: 8 },
    );
  });

  test('folders with names of any text: exact, or refused by name', { timeout: 180_000 }, async () => {
    const folderName = text.map(value => value.replaceAll('/', '_')).filter(value => !['', '.', '..'].includes(value));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(folderName, { minLength: 1, maxLength: 30 }), async names => {
        using work = workspace();
        const folders = names.map(value => join(work.path, value));
        for (const folder of folders) mkdirSync(folder);
        const code = "import sys\nfor folder in sys.argv[1:]: open(folder + '/made', 'w').write(folder)";
        const wanted = request('python3', ['-c', code, ...folders], { policy: { fsWrite: folders } });
        expect(await resultOf(sandbox, wanted)).toMatchObject({ code: 0, stderr: '' });
        for (const folder of folders) expect(readFileSync(join(folder, 'made'), 'utf8')).toBe(folder);
      }),
      { numRuns: 8 },
    );
  });
});
