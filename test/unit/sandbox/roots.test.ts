import { expect, test, vi } from 'vitest';
import { parseConfig } from '../../../src/config/parse.js';
import type { ConfigInput } from '../../../src/config/schema.js';
import { Catalog } from '../../../src/images/catalog.js';
import type { Root } from '../../../src/policy/plan.js';
import type { Backend } from '../../../src/sandbox/backend.js';
import { BackendUnavailable } from '../../../src/sandbox/errors.js';
import { Roots } from '../../../src/sandbox/roots.js';

const catalog = await Catalog.load([], () => {});
const host: Root = { kind: 'host', name: 'host', mounts: [], path: [], env: {} };

/** Roots over a backend that has these images of the catalog. */
function scene(input: ConfigInput, present: string[], name = 'docker') {
  const imageRoot = vi.fn(async (reference: string): Promise<Root> => {
    if (!present.includes(reference)) throw new BackendUnavailable('no such image');
    return { kind: 'image', name: reference, mounts: [], path: ['/usr/bin'], env: { FROM: 'backend' } };
  });
  const choices: string[] = [];
  const prepared: string[] = [];
  const roots = new Roots({
    config: parseConfig(input),
    catalog,
    hostRoot: async () => host,
    onChoice: message => choices.push(message),
    preparation: {
      start: (image: { reference: string }, { socket }: { socket: string }) => {
        expect(socket).toBe('/engine.sock');
        prepared.push(image.reference);
      },
      close: async () => {},
    } as never,
  });
  const places = { sockets: ['/engine.sock'], storage: [] };
  const backend = { name, label: 'Docker 1', imageRoot, places } as unknown as Backend;
  return { roots, backend, imageRoot, choices, prepared };
}

const PYTHON = 'localhost/code-sandbox/python:1.0.0';
const DATA = 'localhost/code-sandbox/python-data:1.0.0';
const POLYGLOT = 'localhost/code-sandbox/polyglot:1.0.0';

test('auto: the preferred image that is there, with what its manifest declares', async () => {
  const { roots, backend, choices, prepared } = scene({}, [PYTHON, POLYGLOT]);
  const root = await roots.rootFor(backend, '/opt/venv/bin/python3.11');
  expect(root).toMatchObject({ name: PYTHON, commands: { python3: '/usr/bin/python3', sh: '/bin/sh' } });
  expect(root.env).toMatchObject({ FROM: 'backend', PIP_NO_CACHE_DIR: '1' });
  expect((await roots.rootFor(backend, 'bash')).name).toBe(POLYGLOT);
  expect(choices).toContain(`"bash" runs in ${POLYGLOT}`);
  expect(prepared).toEqual([]);
});

test('auto: the host’s own where no image is there, and one is prepared', async () => {
  const { roots, backend, choices, prepared, imageRoot } = scene({}, []);
  expect(await roots.rootFor(backend, 'python3')).toBe(host);
  expect(choices).toEqual([expect.stringContaining('code-sandbox images build python-data --socket /engine.sock')]);
  expect(prepared).toEqual([DATA]);
  const asked = imageRoot.mock.calls.length;
  await roots.rootFor(backend, 'python3');
  expect(imageRoot).toHaveBeenCalledTimes(asked);
  expect(await roots.rootFor(backend, 'make')).toBe(host);
  expect(choices).toHaveLength(2);
});

test('auto: an engine that fails is no engine without the image', async () => {
  const { roots, backend, imageRoot } = scene({}, []);
  imageRoot.mockRejectedValueOnce(new Error('connection lost'));
  await expect(roots.rootFor(backend, 'node')).rejects.toThrow('connection lost');
  expect(await roots.rootFor(backend, 'node')).toBe(host);
});

test('image: never the host’s; a command that no image is made for gets the one that has the most', async () => {
  const some = scene({ root: { rootfs: 'image' } }, [PYTHON, POLYGLOT]);
  expect((await some.roots.rootFor(some.backend, 'git')).name).toBe(POLYGLOT);
  expect((await some.roots.rootFor(some.backend, '')).name).toBe(POLYGLOT);
  const none = scene({ root: { rootfs: 'image' } }, []);
  const run = none.roots.rootFor(none.backend, 'node');
  await expect(run).rejects.toBeInstanceOf(BackendUnavailable);
  await expect(run).rejects.toThrow(/no image for "node".*code-sandbox images build node --socket \/engine\.sock$/);
});

test('what is told of a command is its name, in which nothing moves the cursor or begins a line', async () => {
  const forged = '/x\n2030-01-01 all is well\x1b[2K/python3';
  const auto = scene({}, [DATA]);
  await auto.roots.rootFor(auto.backend, forged);
  await auto.roots.rootFor(auto.backend, '/y/python3');
  expect(new Set(auto.choices)).toEqual(new Set([`"python3" runs in ${DATA}`]));
  const image = scene({ root: { rootfs: 'image' } }, [DATA]);
  await image.roots.rootFor(image.backend, 'a\nb\x1b[2K');
  expect(image.choices).toEqual([`"a\\nb\\u001b[2K" runs in ${DATA}`]);
});

test('host: always', async () => {
  const { roots, backend, imageRoot } = scene({ root: { rootfs: 'host' } }, [PYTHON]);
  expect(await roots.rootFor(backend, 'python3')).toBe(host);
  expect(imageRoot).not.toHaveBeenCalled();
});

test('what is configured goes first: for a command, then for all; by name or by reference', async () => {
  const config: ConfigInput = {
    root: { image: 'example.invalid/own:1' },
    interpreters: [{ command: 'python3', image: 'python' }],
  };
  const { roots, backend, prepared } = scene(config, [PYTHON, 'example.invalid/own:1']);
  expect((await roots.rootFor(backend, '/usr/bin/python3')).name).toBe(PYTHON);
  expect((await roots.rootFor(backend, 'node')).name).toBe('example.invalid/own:1');
  await expect(roots.named(backend, 'polyglot')).rejects.toThrow('code-sandbox images build polyglot');
  expect(prepared).toEqual([POLYGLOT]);
});

test('prepared ahead: what is configured and what Python and Node would take, if it is missing', async () => {
  const { roots, backend, prepared } = scene({ interpreters: [{ command: 'tool', image: 'base' }] }, [DATA]);
  await roots.prepareAhead(backend);
  expect(prepared).toEqual(['localhost/code-sandbox/base:1.0.0', 'localhost/code-sandbox/node:1.0.0']);
  const without = scene({}, [], 'bwrap');
  await without.roots.prepareAhead(without.backend);
  expect(without.prepared).toEqual([]);
});
