import type { Command } from 'commander';
import type { EngineClient } from '../engine/client.js';
import { connectEngine } from '../engine/connect.js';
import { Catalog } from '../images/catalog.js';
import { createLocalProcess } from '../launcher/process.js';
import { type CatalogOptions, withCatalogOptions } from './engine.js';
import { reporting } from './report.js';

/** The options of every `images` command. */
export interface ImagesOptions extends CatalogOptions {
  json?: boolean;
}

/** What an `images` command works with. */
export interface ImagesContext {
  client: EngineClient;
  catalog: Catalog;
}

/** Adds a command with the options that all of them have. */
export function imagesCommand(images: Command, nameAndArguments: string, description: string): Command {
  return withCatalogOptions(images.command(nameAndArguments).description(description)).option('--json', 'print JSON');
}

/** Does a command's work with an engine and the catalog; what fails goes to stderr, with exit code 125. */
export async function withImages(
  options: ImagesOptions,
  work: (context: ImagesContext) => Promise<void>,
): Promise<void> {
  await reporting(options, async () => {
    const { engine, socket } = options;
    await using client = await connectEngine({
      engine,
      process: createLocalProcess(),
      ...(socket ? { endpoint: socket } : {}),
    });
    await work({ client, catalog: await loadCatalog(options) });
  });
}

/** The shipped images and those of `--dir`; what is wrong with one is said on stderr. */
export function loadCatalog({ dir }: Pick<ImagesOptions, 'dir'>): Promise<Catalog> {
  return Catalog.load(dir, fault => console.error(`code-sandbox: ${fault.message}`));
}
