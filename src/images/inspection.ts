import type { EngineClient } from '../engine/client.js';
import type { ImageFacts } from '../engine/image.js';
import type { CatalogImage } from './catalog.js';
import { readImage } from './layers.js';
import type { Finding } from './report.js';
import { mayHoldSecret, secretIn, secretsInConfig } from './secrets.js';

const MiB = 1024 * 1024;
const SETUID_SETGID = 0o6000;
/** Findings of one kind that a line names. */
const MOST_NAMED = 5;

/** What an image shows without being run: its size, its volumes, and every file of every layer. */
export async function inspectFiles(client: EngineClient, image: CatalogImage, facts: ImageFacts): Promise<Finding[]> {
  const { maxSizeMiB } = image.manifest;
  const sizeMiB = Math.ceil(facts.sizeBytes / MiB);
  const secrets: string[] = [];
  const { files, config } = await readImage(client, image.reference, {
    wants: mayHoldSecret,
    content: (file, content) => {
      const found = secretIn(file, content);
      if (found) secrets.push(found);
    },
  });
  secrets.push(...secretsInConfig(config));
  const privileged = [...files.values()].filter(({ mode }) => mode & SETUID_SETGID).map(({ path }) => `/${path}`);
  return [
    {
      title: 'architecture',
      ok: facts.architecture === client.facts.architecture,
      detail: `${facts.architecture}, the engine’s machine is ${client.facts.architecture}`,
    },
    {
      title: 'unpacked size',
      ok: maxSizeMiB === undefined || sizeMiB <= maxSizeMiB,
      detail: `${sizeMiB} MiB${maxSizeMiB === undefined ? '' : `, at most ${maxSizeMiB}`}`,
    },
    none('no setuid or setgid files', privileged),
    none('no secrets in any layer', secrets),
    none('no volumes', facts.volumes),
  ];
}

function none(title: string, found: string[]): Finding {
  const more = found.length > MOST_NAMED ? ` and ${found.length - MOST_NAMED} more` : '';
  return { title, ok: found.length === 0, detail: `${found.slice(0, MOST_NAMED).join(', ')}${more}` };
}
