import { createHash } from 'node:crypto';
import type { EngineClient } from '../engine/client.js';
import { readImage } from './layers.js';
import { type Package, packagesIn, tellsPackages } from './packages.js';

/**
 * The software bill of materials of an image, as a CycloneDX 1.5 document: what dpkg, apk, pip and npm wrote down.
 * The same image gives the same document.
 */
export async function billOfMaterials(client: EngineClient, reference: string, id: string): Promise<object> {
  const found = new Map<string, Package[]>();
  const { files } = await readImage(client, reference, {
    wants: tellsPackages,
    // A later layer's file stands for those below it.
    content: (file, content) => found.set(file.path, packagesIn(file, content)),
  });
  const packages = [...found].flatMap(([path, list]) => (files.has(path) ? list : []));
  const components = new Map(packages.map(each => [purl(each), each]));
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuidOf(id)}`,
    version: 1,
    metadata: { component: { type: 'container', 'bom-ref': id, name: reference, version: id } },
    components: [...components]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([ref, { name, version }]) => {
        return { type: 'library', 'bom-ref': ref, name, version, purl: ref };
      }),
  };
}

/** Source: package-url specification. */
function purl({ type, name, version, architecture }: Package): string {
  const namespace = type === 'deb' ? 'debian/' : type === 'apk' ? 'alpine/' : '';
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:${type}/${namespace}${path}@${encodeURIComponent(version)}${architecture ? `?arch=${architecture}` : ''}`;
}

/** A name-based UUID (version 8). */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
