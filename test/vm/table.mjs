// node test/vm/table.mjs NAME=FILE... : docs/guarantees.md, from what `code-sandbox doctor --json` printed on each kind of host.
import { readFileSync } from 'node:fs';

const hosts = process.argv.slice(2).map(argument => {
  const [name, file] = argument.split('=');
  return { name, ...JSON.parse(readFileSync(file, 'utf8')) };
});
const titles = hosts[0].guarantees.map(({ id, title }) => ({ id, title }));
const row = cells => `| ${cells.join(' | ')} |`;
const statusOf = (host, id) => host.guarantees.find(guarantee => guarantee.id === id).status;

/** What was tried and came of it, in a line; private names of one run are left out. */
function evidenceOf(host, id) {
  const { evidence } = host.guarantees.find(guarantee => guarantee.id === id);
  const text = evidence
    .slice(0, id === 6 || id === 7 ? 3 : 1)
    .join('; ')
    .replaceAll(/\/\S*code-sandbox-probe-\w+/g, '…');
  return `${text.length > 240 ? `${text.slice(0, 240)}…` : text}`;
}

console.log(`# What the probe found

Made by \`test/vm/table.mjs\` from the JSON that \`doctor\` printed. On cgroup v2 that was the virtual machine of \`make
test-vm\` (Debian 12, systemd, AppArmor on, swap on, an emulated processor), on cgroup v1 the test engines of \`make engines\`.
\`code-sandbox doctor\` shows the same for your host.

${row(['', ...hosts.map(({ name }) => name)])}
${row(['---', ...hosts.map(() => '---')])}
${titles.map(({ id, title }) => row([`${id}. ${title}`, ...hosts.map(host => statusOf(host, id))])).join('\n')}

\`degraded\` means that the operator has to allow it (\`engine.allowDegraded\`); without that, the host is not used.

## The evidence`);
for (const host of hosts) {
  console.log(`\n### ${host.name}: ${host.label.replace(/: EACCES.*(?=\))/, '')}\n`);
  for (const { id } of titles) console.log(`${id}. ${statusOf(host, id)}: ${evidenceOf(host, id)}`);
}
