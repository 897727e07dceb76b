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

const OTHERWISE = 'or start Podman or Docker';

/** Where there is no such command. */
export const NOT_INSTALLED =
  'bubblewrap is not installed: there is no bwrap command in PATH; ' +
  `install it (Debian and Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap), ${OTHERWISE}`;

/**
 * Says why bubblewrap failed and what to do. Pure.
 * @param complaint what it said, or why it could not be started
 */
export function explainBwrap(complaint: string, facts: HostFacts): string {
  if (/execvp setpriv/.test(complaint)) {
    return 'bubblewrap is not used: this host has no setpriv command, by which root lets code run as the folder’s owner; install util-linux.';
  }
  const said = `bubblewrap cannot make a sandbox (${complaint.split('\n')[0] || 'it ended without a word'})`;
  if (!/namespace|uid map|RTM_NEW|Operation not permitted|Permission denied|ENOSPC/.test(complaint)) return `${said}.`;
  return `${said}: ${causeOf(complaint, facts)}`;
}

function causeOf(complaint: string, facts: HostFacts): string {
  if (facts.apparmorRestricts) {
    return (
      'AppArmor restricts user namespaces here, as Ubuntu 24.04 does by default ' +
      '(kernel.apparmor_restrict_unprivileged_userns=1). Install a profile that allows `userns` to /usr/bin/bwrap ' +
      `(package apparmor-profiles: bwrap-userns-restrict), ${OTHERWISE}.`
    );
  }
  if (facts.noUserNamespaces || /ENOSPC/.test(complaint)) {
    return `user namespaces are used up or switched off (user.max_user_namespaces): raise it with sysctl, ${OTHERWISE}.`;
  }
  if (facts.cloneForbidden) {
    return `ordinary users may make no user namespaces (kernel.unprivileged_userns_clone=0): set it to 1, ${OTHERWISE}.`;
  }
  if (facts.inContainer) {
    return (
      'this process runs in a container, whose engine forbids namespaces and mounts to it. ' +
      'Give it the socket of an engine instead; do not weaken the container for this.'
    );
  }
  if (facts.filtered) {
    return (
      'a seccomp filter hides the system calls for it from this service (systemd: RestrictNamespaces= or ' +
      `SystemCallFilter=; snap, Flatpak). Allow namespaces to the service, ${OTHERWISE}.`
    );
  }
  return `the kernel or a security module refuses a namespace or a mount; look at the kernel’s log, ${OTHERWISE}.`;
}
