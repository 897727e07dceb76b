import { existsSync, readFileSync } from 'node:fs';

/** What of a host decides whether an ordinary user may make namespaces. */
export interface HostFacts {
  /** kernel.apparmor_restrict_unprivileged_userns, of Ubuntu 23.10 and later. */
  apparmorRestricts: boolean;
  /** kernel.unprivileged_userns_clone is 0, of Debian and Arch. */
  cloneForbidden: boolean;
  /** user.max_user_namespaces is 0. */
  noUserNamespaces: boolean;
  /** This process runs in a container. */
  inContainer: boolean;
  /** This process is under a seccomp filter. */
  filtered: boolean;
}

/** Reads them from /proc; what is not there restricts nothing. */
export function hostFacts(): HostFacts {
  const sysctl = (name: string) => read(`/proc/sys/${name}`).trim();
  return {
    apparmorRestricts: sysctl('kernel/apparmor_restrict_unprivileged_userns') === '1',
    cloneForbidden: sysctl('kernel/unprivileged_userns_clone') === '0',
    noUserNamespaces: sysctl('user/max_user_namespaces') === '0',
    inContainer: existsSync('/.dockerenv') || existsSync('/run/.containerenv'),
    filtered: /^Seccomp:\s*2$/m.test(read('/proc/self/status')),
  };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
