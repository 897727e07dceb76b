import { output } from '../command.mjs';
import { LIMITS } from '../programs.mjs';
import { contender } from './contender.mjs';
import { bringRootImage, ROOT_IMAGE } from './root-image.mjs';

/**
 * `podman run` or `docker run`, with the limits and closures that a sandbox has.
 * @param {{ name: string, cli: string[], env: NodeJS.ProcessEnv, work: string }} options `cli`: the command with what it needs to find its engine
 */
export function engineCli({ name, cli, env, work }) {
  const { memoryMiB, pids, tmpMiB, openFiles } = LIMITS;
  const flags = [
    ...['run', '--rm', '--network', 'none', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ...['--memory', `${memoryMiB}m`, '--memory-swap', `${memoryMiB}m`, '--pids-limit', String(pids)],
    ...[
      '--ulimit',
      `nofile=${openFiles}:${openFiles}`,
      '--ulimit',
      'nproc=4096:4096',
      '--tmpfs',
      `/tmp:size=${tmpMiB}m`,
    ],
    ...['-v', `${work}:${work}`, '-w', work],
  ];
  const entry = {
    name,
    images: true,
    open: async () => {
      await bringRootImage(cli, env);
      return contender(entry, ({ cmd, args, image }) => {
        const root = image ? [image] : ['-v', '/usr:/usr:ro', ROOT_IMAGE];
        return output([...cli, ...flags, ...root, cmd, ...args], { env });
      });
    },
  };
  return entry;
}
