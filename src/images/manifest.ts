import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { InvalidImage } from '../sandbox/errors.js';

/** A text, or its lines: JSON has no way to write a longer one that can be read. */
const lines = z
  .union([z.string(), z.array(z.string())])
  .transform(value => (typeof value === 'string' ? value : `${value.join('\n')}\n`));

const absolutePath = z.string().regex(/^\/[^\0]*[^/\0]$/, 'must be an absolute path');
const packageList = z.array(z.string().regex(/^[a-z0-9][\w.+:~=-]*$/, 'must be the name of a package')).default([]);

const interpreter = z
  .strictObject({
    command: z
      .string()
      .regex(/^[\w.+-]+$/, 'must be a bare name, as in PATH')
      .describe('Name under which requests ask for it.'),
    path: absolutePath.describe('Where it is inside the image.'),
    version: z.array(z.string()).default(['--version']).describe('Arguments that make it print its version.'),
    extensions: z
      .array(z.string().regex(/^\.[\w.+-]+$/, 'must begin with a dot'))
      .default([])
      .describe('Endings of the files that it runs.'),
  })
  .describe('A command that the image is made for.');

const smokeTest = z
  .strictObject({
    name: z.string().min(1).describe('What it shows, for the report.'),
    command: z.string().describe('Command of an interpreter, of this image or of one that it extends.'),
    args: z.array(z.string()).default([]).describe('Arguments before the script’s path.'),
    script: lines.describe('The program: a text, or its lines.'),
    expect: lines.describe('What it prints on stdout, exactly: a text, or its lines. Stderr must stay empty.'),
  })
  .describe('A program with its expected output, run in a real sandbox.');

/** What an image is, has and promises: its `image.json`. */
export const manifestSchema = z.strictObject({
  $schema: z.string().optional().describe('Where this schema is, for editors.'),
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+([._-][a-z0-9]+)*$/, 'must be lowercase letters and digits, with single . _ - between them')
    .describe('Name of the image; unique in the catalog, and that of its folder.'),
  version: z
    .string()
    .max(64)
    .regex(/^\w[\w.-]*$/, 'must fit into a tag: letters, digits, . _ -')
    .describe('Version of the image; its tag.'),
  description: z.string().min(1).describe('One sentence about what it is for.'),
  extends: z.string().optional().describe('Image of the catalog that it is built on; without it: a base (--base).'),
  preference: z
    .int()
    .default(0)
    .describe('Of several images that have a command of their own, the one with the highest preference serves it.'),
  interpreters: z.array(interpreter).default([]).describe('Commands that the image is made for.'),
  environment: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string())
    .default({})
    .describe('Variables that every run in the image gets, unless its request sets them.'),
  packages: z
    .strictObject({
      debian: packageList.describe('For Debian and its relatives: the Containerfile’s DEBIAN_PACKAGES.'),
      alpine: packageList.describe('For Alpine and its relatives: the Containerfile’s ALPINE_PACKAGES.'),
      npm: z
        .record(z.string().regex(/^[a-z0-9-]+$/), z.string().regex(/^(@[\w.-]+\/)?[\w.{}-]+@\d[\w.-]*$/))
        .default({})
        .describe(
          'Archives of npm packages, put into the context as npm/KEY.tgz: name@version, {arch} is x64 or arm64.',
        ),
    })
    .prefault({})
    .describe('Packages that go into the image.'),
  maxSizeMiB: z.int().positive().optional().describe('Unpacked size in MiB above which a check fails.'),
  smoke: z
    .array(smokeTest)
    .default([])
    .describe('Programs that must work in the image; those it extends count as well.'),
  labels: z
    .record(z.string().regex(/^(?!code-sandbox\.)[a-z0-9][a-z0-9./_-]*$/), z.string())
    .default({})
    .describe('Labels of the image; code-sandbox.* are not for manifests.'),
});

/** A manifest with its defaults filled in. */
export type Manifest = z.output<typeof manifestSchema>;
/** A program with its expected output. */
export type SmokeTest = z.output<typeof smokeTest>;

/** @throws InvalidImage that names the file and everything in it that does not fit. */
export async function readManifest(file: string): Promise<Manifest> {
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new InvalidImage(`The manifest ${file} cannot be read: ${cause.message}.`, { cause });
  });
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new InvalidImage(`The manifest ${file} is not JSON: ${(cause as Error).message}.`, { cause });
  }
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw new InvalidImage(`The manifest ${file} does not fit:\n${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The JSON Schema that docs/image.schema.json publishes. */
export function manifestJsonSchema(): object {
  return { title: 'Manifest of an interpreter image', ...z.toJSONSchema(manifestSchema, { io: 'input' }) };
}
