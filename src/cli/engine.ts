import { type Command, Option } from 'commander';
import type { ConfigInput } from '../config/schema.js';

/** The options that choose and tune an engine, the same for every command. */
export interface EngineOptions {
  engine: 'auto' | 'podman' | 'docker';
  socket?: string;
  runtime?: string;
  image?: string;
  allowDegraded?: boolean;
}

/** Adds them to a command. */
export function withEngineOptions(command: Command): Command {
  return command
    .addOption(new Option('--engine <kind>', 'kind of engine').choices(['auto', 'podman', 'docker']).default('auto'))
    .option('--socket <address>', 'socket of the engine: a path, unix:// or tcp:// (default: look for one)')
    .option('--runtime <name>', 'OCI runtime of the engine, such as crun or runsc (default: the engine’s own)')
    .option('--image <reference>', 'image of the engine to run in (default: the host’s own system folders)')
    .option('--allow-degraded', 'use an engine that cannot enforce memory, process or disk limits');
}

/** The configuration that they stand for. */
export function engineConfig(options: EngineOptions): ConfigInput {
  const { engine, socket, runtime, image, allowDegraded } = options;
  return {
    engine: {
      engine,
      ...(socket ? { socket } : {}),
      ...(runtime ? { runtime } : {}),
      ...(allowDegraded ? { allowDegraded } : {}),
    },
    ...(image ? { root: { image } } : {}),
  };
}
