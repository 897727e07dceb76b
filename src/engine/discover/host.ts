import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';

/** What strategies may know of the host. */
export interface HostView {
  platform: NodeJS.Platform;
  /** Of this process; -1 where there are none. */
  uid: number;
  home: string;
  env: Record<string, string | undefined>;
  /** Text of a file, undefined when it cannot be read. */
  read(path: string): string | undefined;
}

/** The host that this process runs on. */
export function thisHost(env: HostView['env'] = process.env): HostView {
  return {
    platform: process.platform,
    uid: process.getuid?.() ?? -1,
    home: env.HOME || homedir(),
    env,
    read(path) {
      try {
        return readFileSync(path, 'utf8');
      } catch {
        return undefined;
      }
    },
  };
}
