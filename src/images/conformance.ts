import type { CodeSandbox } from '../sandbox/service.js';
import { type CatalogImage, lineage } from './catalog.js';
import type { Finding } from './report.js';
import { outcomeOf } from './trial.js';

/** Needs nothing but a shell: prints the uid, each folder outside the private ones that takes a file, and HOME if it does. */
const FACTS = `
while read -r key value _; do [ "$key" != Uid: ] || echo "uid=$value"; done </proc/self/status
for folder in / /usr /etc /var /var/tmp /run /opt /home /root; do
  ! (: >"$folder/.check") 2>/dev/null || echo "writable=$folder"
done
! (: >"$HOME/.check") 2>/dev/null || echo "home=$HOME"
`;

/**
 * What every image must be in the sandbox, whatever is in it.
 * @param uid that code runs as, where this process may choose it
 */
export async function conformance(sandbox: CodeSandbox, image: CatalogImage, uid?: number): Promise<Finding[]> {
  return [...(await facts(sandbox, uid)), ...(await interpreters(sandbox, image))];
}

async function facts(sandbox: CodeSandbox, uid: number | undefined): Promise<Finding[]> {
  const { code, stdout, trouble } = await outcomeOf(sandbox, { cmd: 'sh', args: ['-c', FACTS] });
  if (code !== 0) return [{ title: 'a shell (sh)', ok: false, detail: trouble }];
  const all = (name: string) => Array.from(stdout.matchAll(new RegExp(`^${name}=(.*)$`, 'gm')), ([, value]) => value!);
  const [seen] = all('uid');
  const writable = all('writable');
  const [home] = all('home');
  return [
    { title: 'runs as any uid', ok: uid === undefined ? seen !== undefined : seen === String(uid), detail: `${seen}` },
    { title: 'the root is read-only', ok: writable.length === 0, detail: writable.join(', ') },
    { title: 'HOME can be written', ok: home !== undefined, detail: home ?? 'it takes no file' },
  ];
}

async function interpreters(sandbox: CodeSandbox, image: CatalogImage): Promise<Finding[]> {
  const findings: Finding[] = [];
  const all = lineage(image).flatMap(({ manifest }) => manifest.interpreters);
  for (const { command, path, version } of new Map(all.map(each => [each.command, each])).values()) {
    const byPath = await outcomeOf(sandbox, { cmd: path, args: version });
    const byName = await outcomeOf(sandbox, { cmd: command, args: version });
    const failed = [byPath, byName].find(({ code }) => code !== 0);
    const said = `${byPath.stdout}${byPath.stderr}`.trim().split('\n')[0];
    findings.push({ title: `interpreter ${command} (${path})`, ok: !failed, detail: failed?.trouble ?? said ?? '' });
  }
  return findings;
}
