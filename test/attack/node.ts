import { existsSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { expect } from 'vitest';
import type { CodeSandbox } from '../../src/sandbox/service.js';
import { type Parts, request, resultOf } from '../support/request.js';
import { type Attack, folderOf } from './attack.js';
import { silent } from './end.js';
import { reachesNothing } from './network.js';
import { keptFile } from './writes.js';

/** Tries to reach what listens on the host; prints what answered. */
const REACH = `
const [tcp, udp, addresses, paths] = JSON.parse(process.argv[1]);
const { connect } = require('node:net'), { createSocket } = require('node:dgram');
const call = where => connect({ ...where, timeout: 1000 })
  .on('connect', function () { console.log(JSON.stringify(where)); this.destroy(); })
  .on('timeout', function () { this.destroy(); })
  .on('error', () => {});
for (const host of addresses) {
  call({ host, port: tcp });
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4').on('error', () => {});
  socket.send('out', udp, host, () => socket.close());
}
for (const path of paths) call({ path: path.replace('@', '\\0') });
require('node:dns').lookup('example.test', (error, address) => error || console.log(address));
fetch('http://' + addresses.find(a => !a.includes(':') && !a.startsWith('127.')) + ':' + tcp).then(console.log, () => {});
`;

/** Every way in which Node changes a file or a folder; prints which of them worked, and where. */
const WRITE = `
const fs = require('node:fs');
const [ro, name, ...folders] = process.argv.slice(1);
const attempt = (what, act) => { try { act(); console.log(what); } catch {} };
const file = ro + '/file', new1 = ro + '/' + name;
for (const prefix of ['', '/proc/self/root', '/proc/1/root', '/proc/self/cwd/../../..'])
  for (const folder of [ro, ...folders]) {
    const path = prefix + folder + '/' + name;
    attempt('write ' + path, () => fs.writeFileSync(path, 'x'));
    attempt('folder ' + path, () => fs.mkdirSync(path));
    attempt('link ' + path, () => fs.symlinkSync('/', path));
  }
attempt('append', () => fs.appendFileSync(file, 'x'));
attempt('truncate', () => fs.truncateSync(file, 0));
attempt('copy', () => fs.copyFileSync(process.execPath, file));
attempt('mode', () => fs.chmodSync(file, 0o777));
attempt('time', () => fs.utimesSync(file, 1, 1));
attempt('rename', () => fs.renameSync(file, new1));
attempt('hard link', () => { fs.linkSync(file, 'hard'); fs.appendFileSync('hard', 'x'); });
attempt('link', () => { fs.symlinkSync(file, 'soft'); fs.appendFileSync('soft', 'x'); });
attempt('descriptor', () => fs.writeSync(fs.openSync('/proc/self/fd/' + fs.openSync(file, 'r'), 'r+'), 'x'));
attempt('remove', () => fs.rmSync(file));
`;

/** Starts a child in a session of its own that ignores what it can, and goes once that is at work. */
const LEAVE = `
const { existsSync } = require('node:fs');
const beat = 'for (const s of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(s, () => {});' +
  'setInterval(() => require("node:fs").appendFileSync("heartbeat", "."), 10)';
for (const stdio of ['ignore', 'inherit'])
  require('node:child_process').spawn(process.execPath, ['-e', beat], { detached: true, stdio }).unref();
const wait = setInterval(() => { if (existsSync('heartbeat')) { clearInterval(wait); console.log('left'); } }, 10);
`;

function node(sandbox: CodeSandbox, code: string, args: string[], parts: Parts = {}) {
  return resultOf(sandbox, request('node', ['-e', code, ...args], parts));
}

/** By Node programs, what programs in Python and C try elsewhere. */
export const nodePrograms: Attack[] = [
  {
    name: 'a Node program that reaches for the host: TCP, UDP, unix sockets, names, fetch',
    guarantee: 2,
    async run({ sandbox }) {
      const result = await reachesNothing(aims => node(sandbox, REACH, [aims]));
      expect(result.stderr).toBe('');
    },
  },
  {
    name: 'a Node program that writes outside of its folder: files, folders, links, descriptors',
    guarantee: 1,
    async run({ sandbox }) {
      using open = folderOf();
      using work = folderOf();
      const file = keptFile(open.path);
      const name = `planted-${basename(work.path)}`;
      const folders = ['', '/usr/bin', '/etc', '/var/tmp', '/run', '/dev', '/home'];
      const policy = { fsRead: [open.path], fsWrite: [work.path] };
      const result = await node(sandbox, WRITE, [open.path, name, ...folders], { policy });
      expect(result).toMatchObject({ code: 0, stdout: '', stderr: '' });
      file.isKept();
      expect(readdirSync(open.path)).toEqual(['file']);
      expect(folders.filter(folder => existsSync(`${folder}/${name}`))).toEqual([]);
    },
  },
  {
    name: 'a Node program whose detached children outlive it',
    guarantee: 11,
    async run({ sandbox }) {
      using work = folderOf();
      const result = await node(sandbox, LEAVE, [], { policy: { fsWrite: [work.path] } });
      expect(result).toMatchObject({ code: 0, stdout: 'left\n' });
      await silent(`${work.path}/heartbeat`);
    },
  },
];
