import { z } from 'zod';

/** A list of kinds, separated by commas; Aalis's form knows no lists of words. */
const ORDER = /^ *(engine|oci|os)( *, *(engine|oci|os))* *$/;
const RUN_AS = /^(\d+:\d+)?$/;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The kernel gives a group at least 1 ms in each period of 100 ms. */
export const LEAST_CPUS = 0.01;

/** A number with a default, bounds and the sentence that the form and the documentation show. */
const amount = (value: number, min: number, max: number, description: string) =>
  z.number().int().min(min).max(max).default(value).describe(description);

const flag = (value: boolean, description: string) => z.boolean().default(value).describe(description);

const text = (description: string) => z.string().trim().default('').describe(description);

const choice = <const T extends readonly [string, ...string[]]>(values: T, value: T[number], description: string) =>
  z
    .enum(values)
    .default(value as never)
    .describe(description);

const engine = z.object({
  engine: choice(['auto', 'podman', 'docker'], 'auto', 'Which kind of engine may be used.'),
  socket: text('Socket of the engine (path, unix:// or tcp:// address); empty: look for one.'),
  runtime: text('OCI runtime to ask the engine for by name (crun, runc, runsc, kata); empty: the engine’s default.'),
  allowDegraded: flag(
    false,
    'Use an engine that cannot enforce a soft guarantee (memory, processes, disk), and report it as degraded.',
  ),
});

const root = z.object({
  rootfs: choice(
    ['auto', 'image', 'host'],
    'auto',
    'Where programs come from: an image that has the command if it is there, else the host’s own system folders (auto); only images; only the host.',
  ),
  image: text(
    'Image to run everything in: a name of the catalog, or a reference or id of the engine; empty: by rootfs.',
  ),
  prepare: flag(false, 'Build missing images of the catalog in the background.'),
  base: text(
    'Base of the images that root.prepare builds: an image, or local (needs mmdebstrap); empty: the one that the present image was built on, else debian:bookworm-slim.',
  ),
  localPrograms: flag(
    false,
    'Show all of /usr/local of the host inside, where the host’s own system folders are the root; an interpreter that is found there is shown in any case.',
  ),
});

const limits = z.object({
  timeoutMs: amount(60_000, 1, 24 * HOUR, 'Time limit of a run that names none, in milliseconds.'),
  maxTimeoutMs: amount(HOUR, 1, 24 * HOUR, 'Longest time limit that a request may name, in milliseconds.'),
  memoryMiB: amount(512, 16, 1_048_576, 'Memory of a run in MiB; swap, /tmp and /dev/shm count.'),
  pids: amount(128, 4, 32_768, 'Processes and threads of a run.'),
  tmpMiB: amount(256, 1, 1_048_576, 'Size of /tmp in MiB.'),
  shmMiB: amount(128, 1, 1_048_576, 'Size of /dev/shm in MiB.'),
  outputMiB: amount(10, 1, 64, 'Output kept per stream in MiB; the rest is read and dropped.'),
  fileMiB: amount(2048, 1, 16_777_216, 'Largest file that a run may write, in MiB.'),
  diskFloorMiB: amount(
    256,
    0,
    16_777_216,
    'Free space of the writable folders below which a run is ended, in MiB; 0: off.',
  ),
  cpus: z
    .number()
    .min(0)
    .max(1024)
    .refine(value => value === 0 || value >= LEAST_CPUS, `must be 0 or at least ${LEAST_CPUS}`)
    .default(0)
    .describe('CPUs of a run, fractions from 0.01 on, at most those that are there; 0: no limit.'),
  maxConcurrent: amount(0, 0, 4096, 'Runs at once; 0: twice the number of cores.'),
  maxQueue: amount(256, 0, 100_000, 'Runs that may wait for a slot; more are refused as busy.'),
  probeMs: amount(
    10_000,
    1000,
    10 * MINUTE,
    'Time limit of the probe at the start, in milliseconds; what has not proven itself by then is not used.',
  ),
});

const warm = z.object({
  max: amount(2, 0, 64, 'Sandboxes that wait, started ahead, for the runs that are likely to come; 0: none.'),
  idleSeconds: amount(60, 1, 3600, 'How long one waits, in seconds.'),
});

const safety = z.object({
  sockets: choice(
    ['refuse', 'allow'],
    'refuse',
    'A policy folder in which a program of the host listens on a socket: refuse the request, or allow it.',
  ),
  runAs: z
    .string()
    .trim()
    .regex(RUN_AS, 'must be empty, or numbers as uid:gid, such as 1000:1000')
    .default('')
    .describe('uid:gid that code runs as when the service is root; empty: the owner of the first writable folder.'),
  rootFolders: choice(
    ['allow', 'refuse'],
    'allow',
    'A service that is root and a writable folder that is root’s: run as uid 0 without capabilities, or refuse.',
  ),
  protect: flag(
    false,
    'Make what tools of the host would run later (git hooks, .envrc, editors’ settings) read-only in writable folders.',
  ),
  selinux: choice(
    ['off', 'shared', 'private'],
    'off',
    'Relabel policy folders for SELinux (the engines’ z and Z). Untested: no such host at hand.',
  ),
});

/** One entry of `interpreters`: a command and the image of the engine that it runs in. */
const interpreter = z.object({
  command: z.string().trim().min(1).describe('Command as requests name it, for example python3.'),
  image: z.string().trim().min(1).describe('Its image: a name of the catalog, or a reference or id of the engine.'),
});

/** One entry of `imageDirs`. */
const imageDir = z.object({
  folder: z
    .string()
    .trim()
    .regex(/^\//, 'must be an absolute path')
    .describe('Absolute path; a folder for each image.'),
});

/** The whole configuration. Groups arrive partial from Aalis, so every level has its own defaults. */
export const configSchema = z.object({
  priority: amount(50, -1000, 1000, 'Priority among the providers of code-sandbox; the OS provider has 0.'),
  order: z
    .string()
    .regex(ORDER, 'must be engine, oci and os, those that are wanted, separated by commas')
    .default('engine, oci, os')
    .describe(
      'Kinds of backends in the order in which they are tried: engine (Podman, Docker), oci (crun or runc without an engine), os.',
    ),
  fallback: choice(
    ['os', 'none'],
    'os',
    'Where no container can be had: bubblewrap (Linux) or Seatbelt (macOS), or nothing runs.',
  ),
  engine: engine.prefault({}).describe('Engine'),
  root: root.prefault({}).describe('Root file system'),
  imageDirs: z.array(imageDir).default([]).describe('Folders with more interpreter images'),
  interpreters: z.array(interpreter).default([]).describe('Commands that run in an image of their own'),
  limits: limits.prefault({}).describe('Limits'),
  warm: warm.prefault({}).describe('Sandboxes started ahead'),
  safety: safety.prefault({}).describe('Safety'),
});

/** Configuration with every default filled in. */
export type Config = z.output<typeof configSchema>;
/** Configuration as a caller may write it: everything is optional. */
export type ConfigInput = z.input<typeof configSchema>;
