import type { HostFacts } from '../host-facts.js';

const NEVER = 'or start Podman or Docker';

/**
 * Says why a runtime made no container and what to do. Pure.
 * @param complaint what the runtime said
 */
export function explainRuntime(runtime: string, complaint: string, facts: HostFacts): string {
  const said = `${runtime} cannot make a container (${lastLine(complaint) || 'it ended without a word'})`;
  if (/hybrid/.test(complaint)) {
    return `${said}: cgroups v1 and v2 are mounted at once. Mount the controller that v2 holds as v1 (often hugetlb: mount -t cgroup -o hugetlb cgroup /sys/fs/cgroup/hugetlb), boot with cgroup v2 alone, ${NEVER}.`;
  }
  if (/No space left on device/.test(complaint) && !/clone|unshare|namespace/.test(complaint)) {
    return `${said}: the file system of its runtime folder is full; make room there.`;
  }
  if (!/namespace|unshare|clone|uid_map|gid_map|Operation not permitted|Permission denied/i.test(complaint)) {
    return `${said}.`;
  }
  if (facts.noUserNamespaces || /No space left on device/.test(complaint)) {
    return `${said}: user namespaces are used up or switched off (user.max_user_namespaces): raise it with sysctl, ${NEVER}.`;
  }
  if (facts.apparmorRestricts) {
    return `${said}: AppArmor restricts user namespaces here (kernel.apparmor_restrict_unprivileged_userns=1). Install a profile that allows \`userns\` to ${runtime}, ${NEVER}.`;
  }
  if (facts.cloneForbidden) {
    return `${said}: ordinary users may make no user namespaces (kernel.unprivileged_userns_clone=0): set it to 1, ${NEVER}.`;
  }
  if (facts.inContainer || facts.filtered) {
    return `${said}: this process runs in a container or under a seccomp filter that forbids namespaces or mounts. Give it the socket of an engine instead; do not weaken the container for this.`;
  }
  return `${said}: the kernel or a security module refuses a namespace or a mount; look at the kernel’s log, ${NEVER}.`;
}

/** runc writes log lines, `time=… level=error msg="…"`. */
function lastLine(complaint: string): string {
  const line = complaint.trim().split('\n').at(-1) ?? '';
  return /msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? line;
}
