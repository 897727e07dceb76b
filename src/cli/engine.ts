import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { ConfigInput } from '../config/schema.js';
import { collect, duration } from './amounts.js';

/** The options of every command that talks to an engine. */
export interface ChoiceOptions {
  engine: 'auto' | 'podman' | 'docker';
  socket?: string;
}

/** Adds them to a command. */
export function withChoiceOptions(command: Command): Command {
  return command
    .addOption(new Option('--engine <kind>', 'kind of engine').choices(['auto', 'podman', 'docker']).default('auto'))
    .option('--socket <address>', 'socket of the engine: a path, unix:// or tcp:// (default: look for one)');
}

/** The options of those that know images by name. */
export interface CatalogOptions extends ChoiceOptions {
  /** Folders of images besides the shipped ones. */
  dir: string[];
}

/** Adds them to a command. */
export function withCatalogOptions(command: Command): Command {
  return withChoiceOptions(command).option(
    '--dir <folder>',
    'folder that holds more images, a folder for each; repeatable',
    folder,
    [],
  );
}

function folder(path: string, previous: string[]): string[] {
  return collect(resolve(path), previous);
}

/** The options that choose and tune what runs code. */
export interface EngineOptions extends CatalogOptions {
  runtime?: string;
  rootfs?: 'auto' | 'image' | 'host';
  image?: string;
  allowDegraded?: boolean;
  order?: string;
  fallback?: 'os' | 'none';
  /** Milliseconds. */
  probeTimeout?: number;
}

/** Adds them to a command. */
export function withEngineOptions(command: Command): Command {
  return withCatalogOptions(command)
    .option('--runtime <name>', 'OCI runtime of the engine, such as crun or runsc (default: the engine’s own)')
    .addOption(
      new Option('--rootfs <what>', 'where programs come from (default: auto)').choices(['auto', 'image', 'host']),
    )
    .option('--image <name>', 'image to run in: a name of the catalog, or a reference or id of the engine')
    .option('--order <kinds>', 'kinds of backends to try, in this order (default: engine,oci,os)')
    .addOption(new Option('--fallback <what>', 'what runs code where there is no engine').choices(['os', 'none']))
    .option('--allow-degraded', 'use an engine that cannot enforce memory, process or disk limits')
    .option('--probe-timeout <time>', 'time limit of the trial run that proves a backend (default: 10s)', duration);
}

/** The configuration that they stand for. */
export function engineConfig(options: EngineOptions): ConfigInput {
  const { engine, socket, runtime, rootfs, image, dir, allowDegraded, order, fallback, probeTimeout } = options;
  return {
    ...(order ? { order } : {}),
    ...(fallback ? { fallback } : {}),
    imageDirs: dir.map(folder => ({ folder })),
    engine: {
      engine,
      ...(socket ? { socket } : {}),
      ...(runtime ? { runtime } : {}),
      ...(allowDegraded ? { allowDegraded } : {}),
    },
    // A command runs one program and ends: nothing would use what waits.
    warm: { max: 0 },
    ...(probeTimeout === undefined ? {} : { limits: { probeMs: probeTimeout } }),
    root: { ...(rootfs ? { rootfs } : {}), ...(image ? { image } : {}) },
  };
}
