import type { LayerFile } from './layers.js';

/** More than any file of credentials. */
const MOST_BYTES = 256 * 1024;

/** Files that are there for credentials. */
const NAMES =
  /(^|\/)(\.env|\.netrc|\.npmrc|\.pypirc|\.git-credentials|id_(rsa|dsa|ecdsa|ed25519)|\.aws\/credentials|\.docker\/config\.json|\.kube\/config)$/;

/** A private key with a body, and tokens that tell what they are by their form. */
const FORMS: Array<[what: string, form: RegExp]> = [
  ['a private key', /-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[\w+/=]{40}/],
  ['an AWS access key', /\bAKIA[0-9A-Z]{16}\b/],
  ['a GitHub token', /\bgh[pousr]_\w{36}/],
  ['an npm token', /\bnpm_\w{36}\b/],
];

/** Variables and arguments of a build that are named like credentials, with a value. */
const SETTINGS = /\b\w*(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY)\w*=[^\s"'\\]+/gi;

/** Whether a file's content is looked at. */
export function mayHoldSecret(file: LayerFile): boolean {
  return file.bytes > 0 && file.bytes <= MOST_BYTES;
}

/** What in a file of any layer looks like a secret, also where an upper layer removes it again; undefined for nothing. */
export function secretIn({ path }: LayerFile, content: Buffer): string | undefined {
  if (NAMES.test(path)) return `/${path}`;
  const text = content.toString('latin1');
  const found = FORMS.find(([, form]) => form.test(text));
  return found && `/${path} holds ${found[0]}`;
}

/** Names of what looks like a secret in an image's config: its variables and the steps of its build. */
export function secretsInConfig(config: string): string[] {
  return [
    ...new Set(Array.from(config.matchAll(SETTINGS), ([found]) => `${found.split('=')[0]} in the image’s config`)),
  ];
}
