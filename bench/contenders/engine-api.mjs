import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import Docker from 'dockerode';
import { LIMITS } from '../programs.mjs';
import { contender } from './contender.mjs';
import { bringRootImage, ROOT_IMAGE } from './root-image.mjs';

/**
 * dockerode as its README has it: create, attach, start, wait, remove.
 * @param {{ name: string, socket: string, cli: string[], env: NodeJS.ProcessEnv, work: string }} options
 */
export function engineApi({ name, socket, cli, env, work }) {
  const entry = {
    name,
    images: true,
    open: async () => {
      await bringRootImage(cli, env);
      const docker = new Docker({ socketPath: socket, host: undefined });
      return contender(entry, program => runByHand(docker, program, work));
    },
  };
  return entry;
}

async function runByHand(docker, { cmd, args, image }, work) {
  const { memoryMiB, pids, tmpMiB, openFiles } = LIMITS;
  const bytes = memoryMiB * 2 ** 20;
  const container = await docker.createContainer({
    Image: image ?? ROOT_IMAGE,
    Cmd: [cmd, ...args],
    WorkingDir: work,
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: 'none',
      Binds: [...(image ? [] : ['/usr:/usr:ro']), `${work}:${work}`],
      Tmpfs: { '/tmp': `size=${tmpMiB}m` },
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Memory: bytes,
      MemorySwap: bytes,
      PidsLimit: pids,
      Ulimits: [
        { Name: 'nofile', Soft: openFiles, Hard: openFiles },
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
      ],
    },
  });
  const stream = await container.attach({ stream: true, stdout: true, stderr: true });
  const stdout = new PassThrough();
  docker.modem.demuxStream(stream, stdout, new PassThrough().resume());
  stream.on('end', () => stdout.end());
  const printed = text(stdout);
  await container.start();
  const { StatusCode } = await container.wait();
  const out = await printed;
  await container.remove();
  if (StatusCode !== 0) throw new Error(`exit code ${StatusCode}`);
  return out;
}
