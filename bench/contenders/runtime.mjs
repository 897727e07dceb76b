import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { output } from '../command.mjs';
import { contender } from './contender.mjs';

/** What the file system of a Debian machine has at its top. */
const LINKS = ['bin', 'sbin', 'lib', 'lib64'];

/**
 * An OCI runtime by hand, as the least that a container can cost: the host's /usr read-only, the workspace writable, no
 * network, no capabilities; no limits, no supervisor, and the program is PID 1.
 * @param {string} name for example crun
 * @param {string} work writable folder
 */
export function runtimeByHand(name, work) {
  const entry = {
    name: `${name} by hand`,
    open: async () => {
      await output([name, '--version']);
      const folder = mkdtempSync(join(tmpdir(), 'bench-runtime-'));
      const root = join(folder, 'root');
      for (const place of ['usr', 'proc', 'dev', 'tmp', work]) mkdirSync(join(root, place), { recursive: true });
      for (const link of LINKS) symlinkSync(`usr/${link}`, join(root, link));
      let count = 0;
      const run = async program => {
        const id = `bench-${process.pid}-${count++}`;
        const bundle = join(folder, id);
        mkdirSync(bundle);
        writeFileSync(join(bundle, 'config.json'), JSON.stringify(configOf(program, root, work)));
        const options = ['--cgroup-manager=disabled', '--root', join(folder, 'state')];
        const printed = await output([name, ...options, 'run', '--bundle', bundle, id]);
        rmSync(bundle, { recursive: true });
        return printed;
      };
      return contender(entry, run, async () => rmSync(folder, { recursive: true }));
    },
  };
  return entry;
}

function configOf({ cmd, args }, root, work) {
  const [uid, gid] = [process.getuid(), process.getgid()];
  const bind = (path, mode) => ({ source: path, destination: path, type: 'bind', options: ['rbind', mode] });
  const own = id => [{ containerID: id, hostID: id, size: 1 }];
  return {
    ociVersion: '1.0.2',
    root: { path: root, readonly: true },
    process: {
      args: [cmd, ...args],
      cwd: work,
      env: ['PATH=/usr/bin:/bin'],
      user: { uid, gid },
      noNewPrivileges: true,
      capabilities: {},
    },
    mounts: [
      { source: 'proc', destination: '/proc', type: 'proc' },
      { source: 'tmpfs', destination: '/dev', type: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { source: 'tmpfs', destination: '/tmp', type: 'tmpfs', options: ['nosuid', 'nodev'] },
      bind('/usr', 'ro'),
      bind(work, 'rw'),
    ],
    linux: {
      namespaces: ['pid', 'mount', 'network', 'ipc', 'uts', 'user'].map(type => ({ type })),
      uidMappings: own(uid),
      gidMappings: own(gid),
    },
  };
}
