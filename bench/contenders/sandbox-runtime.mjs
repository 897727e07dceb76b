import { access, mkdir, readdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { output, SYSTEM_PATH } from '../command.mjs';
import { contender } from './contender.mjs';

const PACKAGE = '@anthropic-ai/sandbox-runtime';
const VERSION = '0.0.78';
/** Programs that it needs, and the Debian packages that have them. */
const NEEDS = { rg: ['ripgrep'], socat: ['socat', 'libwrap0'] };
const cache = fileURLToPath(new URL('../../.cache/bench', import.meta.url));

/**
 * Anthropic's sandbox-runtime: bubblewrap with a proxy for the network. Installed for the benchmark, never a dependency.
 * @param {string} work writable folder
 */
export function sandboxRuntime(work) {
  const entry = {
    name: `sandbox-runtime ${VERSION}`,
    open: async () => {
      await install();
      const main = join(cache, 'node_modules', PACKAGE, 'dist/index.js');
      const { SandboxManager } = await import(pathToFileURL(main).href);
      const network = { allowedDomains: [], deniedDomains: [] };
      await SandboxManager.initialize({ network, filesystem: { denyRead: [], allowWrite: [work], denyWrite: [] } });
      const outputOf = async ({ cmd, args }) => {
        const line = [cmd, ...args].map(word => `'${word}'`).join(' ');
        const command = await SandboxManager.wrapWithSandbox(line);
        return output([command], { shell: true, cwd: work, path: `${SYSTEM_PATH}:${join(cache, 'usr/bin')}` });
      };
      return contender(entry, outputOf, () => SandboxManager.reset());
    },
  };
  return entry;
}

async function install() {
  await mkdir(cache, { recursive: true });
  const packages = ['--prefix', cache, '--no-save', '--no-audit', '--no-fund', `${PACKAGE}@${VERSION}`];
  await output(['npm', 'install', ...packages], { path: process.env.PATH });
  for (const [program, packages] of Object.entries(NEEDS)) {
    if (!(await isThere(program))) await unpack(packages);
  }
  // The runtime looks its programs up in PATH.
  process.env.PATH += delimiter + join(cache, 'usr/bin');
  const libraries = await readdir(join(cache, 'usr/lib')).catch(() => []);
  if (libraries.length > 0) process.env.LD_LIBRARY_PATH = libraries.map(name => join(cache, 'usr/lib', name)).join(':');
}

async function isThere(program) {
  const folders = [...process.env.PATH.split(delimiter), join(cache, 'usr/bin')];
  const found = await Promise.allSettled(folders.map(folder => access(join(folder, program))));
  return found.some(({ status }) => status === 'fulfilled');
}

/** Debian's packages, unpacked beside the benchmark and not installed. */
async function unpack(packages) {
  await output(['apt-get', 'download', ...packages], { cwd: cache });
  for (const name of (await readdir(cache)).filter(file => file.endsWith('.deb'))) {
    await output(['dpkg', '-x', join(cache, name), cache]);
  }
}
