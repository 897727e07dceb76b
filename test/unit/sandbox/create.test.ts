import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Logger } from '../../../src/aalis.js';
import { createAgentSandbox } from '../../../src/agent/create.js';
import type { ConfigInput } from '../../../src/config/schema.js';
import { createCodeSandbox } from '../../../src/sandbox/create.js';
import { workspace } from '../../support/workspace.js';

const NONE = { order: 'engine', engine: { socket: '/nonexistent.sock' } };

function recorder(): { logger: Logger; lines: string[] } {
  const lines: string[] = [];
  const write = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const logger: Logger = {
    child: () => logger,
    debug: () => {},
    info: () => {},
    warn: write('warn'),
    error: write('error'),
  };
  return { logger, lines };
}

test('settings that there are not are told, once each, also by the agent’s sandbox', async () => {
  using work = workspace();
  const config = { ...NONE, sockets: 'allow' } as ConfigInput;
  for (const create of [
    (logger: Logger) => createCodeSandbox(config, { logger }),
    (logger: Logger) => createAgentSandbox({ dataDir: `${work.path}/data`, config, logger }),
  ]) {
    const { logger, lines } = recorder();
    await (await create(logger)).close();
    expect(lines.filter(line => line.includes('ignored'))).toEqual([
      expect.stringMatching(/^warn the setting sockets is unknown and ignored/),
    ]);
  }
});

test('an image that is broken, and a folder of images that is not there, are errors of the log', async () => {
  using work = workspace();
  mkdirSync(`${work.path}/broken`);
  writeFileSync(`${work.path}/broken/image.json`, '{');
  const { logger, lines } = recorder();
  const imageDirs = [work.path, `${work.path}/nonesuch`].map(folder => ({ folder }));
  await (await createCodeSandbox({ ...NONE, imageDirs }, { logger })).close();
  const errors = lines.filter(line => line.startsWith('error '));
  expect(errors).toEqual([expect.stringContaining('broken/image.json'), expect.stringContaining('/nonesuch')]);
});
