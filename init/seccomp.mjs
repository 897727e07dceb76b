// Writes the seccomp filter of the readable profile as C headers: `make -C init seccomp`.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const here = name => fileURLToPath(new URL(name, import.meta.url));
const { module } = await runnerImport(here('../src/hardening/seccomp-header.ts'));

for (const architecture of ['x64', 'arm64']) {
  const table = readFileSync(here(`syscalls/${architecture}.txt`), 'utf8');
  writeFileSync(here(`src/seccomp_${architecture}.h`), module.seccompHeader(architecture, table));
}
