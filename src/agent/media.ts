import { extname } from 'node:path';

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  gif: 'image/gif',
  gz: 'application/gzip',
  htm: 'text/html',
  html: 'text/html',
  ipynb: 'application/x-ipynb+json',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  js: 'text/javascript',
  json: 'application/json',
  jsonl: 'application/jsonl',
  log: 'text/plain',
  md: 'text/markdown',
  mjs: 'text/javascript',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  parquet: 'application/vnd.apache.parquet',
  pdf: 'application/pdf',
  png: 'image/png',
  py: 'text/x-python',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tsv: 'text/tab-separated-values',
  txt: 'text/plain',
  wav: 'audio/wav',
  webp: 'image/webp',
  xml: 'application/xml',
  zip: 'application/zip',
};

/** Media type by the end of a file's name: what the code says it is. Whoever shows the file must not rely on it. */
export function mediaTypeOf(name: string): string {
  return TYPES[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream';
}
