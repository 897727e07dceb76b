import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InvalidImage } from '../sandbox/errors.js';
import { type CatalogImage, commandsOf, MANIFEST } from './catalog.js';
import { manifestSchema } from './manifest.js';

const CONTAINERFILE = `ARG BASE
FROM \${BASE}
ARG DEBIAN_PACKAGES
ARG ALPINE_PACKAGES
RUN install-packages "$DEBIAN_PACKAGES" "$ALPINE_PACKAGES"
`;

/**
 * Lays out a new image that extends another: a manifest with a smoke test, a Containerfile, and what stays out of the build.
 * @param folder holds a folder for every image
 * @returns the folder of the new image
 * @throws InvalidImage when the name does not fit, or there is such a folder
 */
export async function scaffold(folder: string, name: string, parent: CatalogImage): Promise<string> {
  const command = parent.manifest.interpreters[0]?.command ?? Object.keys(commandsOf(parent)).at(-1) ?? 'sh';
  const manifest = {
    name,
    version: '0.1.0',
    description: `What ${name} is for, in one sentence.`,
    extends: parent.manifest.name,
    packages: { debian: ['jq'], alpine: ['jq'] },
    smoke: [helloFor(command)],
  };
  const fits = manifestSchema.shape.name.safeParse(name);
  if (!fits.success) throw new InvalidImage(`${JSON.stringify(name)} ${fits.error.issues[0]?.message}.`);
  const target = join(folder, name);
  await mkdir(folder, { recursive: true });
  await mkdir(target).catch((cause: Error) => {
    throw new InvalidImage(`The folder ${target} cannot be made: ${cause.message}.`, { cause });
  });
  await writeFile(join(target, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await writeFile(join(target, 'Containerfile'), CONTAINERFILE);
  await writeFile(join(target, '.containerignore'), '.git\n.env\n*.log\n');
  return target;
}

function helloFor(command: string) {
  const scripts: Record<string, string> = { node: "console.log('hello');", python3: "print('hello')" };
  return { name: 'says hello', command, script: [scripts[command] ?? 'echo hello'], expect: ['hello'] };
}
