#!/usr/bin/env -S node --
// The `--` above: without it Node takes `--env-file` for its own, wherever it stands, and does on the host what the file says.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(`code-sandbox: this is Node ${process.versions.node}; Node 22.12 or later is needed.`);
  process.exit(125);
}
await import('./program.js');
