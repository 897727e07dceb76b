import { createCodeSandbox } from '../../dist/sandbox/create.js';
import { LIMITS } from '../programs.mjs';
import { contender } from './contender.mjs';

/**
 * This package on one backend.
 * @param {{ name: string, config: object, warm: number, work: string }} options `warm`: sandboxes that are started ahead
 */
export function ours({ name, config, warm, work }) {
  const { memoryMiB, pids, tmpMiB, timeoutMs } = LIMITS;
  const limits = { memoryMiB, pids, tmpMiB, timeoutMs, maxConcurrent: 16, maxQueue: 100_000 };
  const whole = { fallback: 'none', ...config, root: { rootfs: 'host' }, warm: { max: warm }, limits };
  const entry = {
    name: `this package, ${name}`,
    ours: true,
    images: config.order === 'engine',
    open: async () => {
      const sandbox = await createCodeSandbox(whole);
      if (!sandbox.available) {
        const reason = sandbox.backend;
        await sandbox.close();
        throw new Error(reason);
      }
      const policy = { fsRead: [], fsWrite: [work], network: 'deny' };
      const outputOf = async ({ cmd, args, image }) => {
        const request = { cmd, args, cwd: work, env: { PATH: '/usr/bin:/bin' }, policy };
        const { stdout } = await sandbox.runTailored(request, {}, image ? { image } : {});
        return stdout;
      };
      const made = contender(entry, outputOf, () => sandbox.close());
      return { ...made, warm: () => sandbox.selection.backend?.warm };
    },
  };
  return entry;
}
