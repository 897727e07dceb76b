import type { HostFacts } from '../host-facts.js';
import { TOOL_PLACES } from '../tool-path.js';

const OTHERWISE = 'or start Podman or Docker';

/** Where there is no such command. */
export const NOT_INSTALLED =
  `bubblewrap is not installed: there is no bwrap in ${TOOL_PLACES}; ` +
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
