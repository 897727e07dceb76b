import type { LayerFile } from './layers.js';

/** One package in an image. */
export interface Package {
  type: 'deb' | 'apk' | 'pypi' | 'npm';
  name: string;
  version: string;
  architecture?: string;
}

type Reader = (text: string) => Package[];

/** Where the package managers write down what they installed. */
const SOURCES: Array<[place: RegExp, read: Reader]> = [
  [/^var\/lib\/dpkg\/status$/, readDpkg],
  [/^(usr\/)?lib\/apk\/db\/installed$/, readApk],
  [/\/(dist|site)-packages\/[^/]+\.dist-info\/METADATA$/, readPython],
  [/\/(dist|site)-packages\/[^/]+\.egg-info(\/PKG-INFO)?$/, readPython],
  [/\/node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/, readNpm],
];

/** Whether a file tells about packages. */
export function tellsPackages({ path }: LayerFile): boolean {
  return SOURCES.some(([place]) => place.test(path));
}

/** The packages that a file tells about. */
export function packagesIn({ path }: LayerFile, content: Buffer): Package[] {
  const read = SOURCES.find(([place]) => place.test(path))?.[1];
  return read?.(content.toString()) ?? [];
}

/** Blocks of `Name: value` lines; what continues a line is left out. Source: deb-control(5). */
function blocks(text: string): Array<Record<string, string>> {
  return text
    .split(/\n\n+/)
    .map(block => Object.fromEntries(Array.from(block.matchAll(/^([\w-]+): *(.*)$/gm), ([, k, v]) => [k!, v!])));
}

function readDpkg(text: string): Package[] {
  return blocks(text).flatMap(({ Package: name, Version: version, Architecture: architecture, Status: status }) =>
    name && version && status?.endsWith(' installed')
      ? [{ type: 'deb', name, version, ...(architecture && { architecture }) }]
      : [],
  );
}

function readApk(text: string): Package[] {
  return blocks(text.replaceAll(/^([PVA]):/gm, '$1: ')).flatMap(({ P: name, V: version, A: architecture }) =>
    name && version ? [{ type: 'apk', name, version, ...(architecture && { architecture }) }] : [],
  );
}

function readPython(text: string): Package[] {
  const { Name: name, Version: version } = blocks(text)[0] ?? {};
  return name && version ? [{ type: 'pypi', name: name.toLowerCase().replaceAll(/[._-]+/g, '-'), version }] : [];
}

function readNpm(text: string): Package[] {
  try {
    const { name, version } = JSON.parse(text) as { name?: unknown; version?: unknown };
    return typeof name === 'string' && typeof version === 'string' ? [{ type: 'npm', name, version }] : [];
  } catch {
    return [];
  }
}
