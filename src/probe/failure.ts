import type { Ending } from '../sandbox/backend.js';
import { errnoName } from './errno.js';
import { ELSEWHERE } from './judge/folders.js';

const MOST_COMPLAINT = 300;

/** Causes that people have met, as words of the system's own messages, and what helps. */
const KNOWN: ReadonlyArray<{ when: RegExp; advice: string }> = [
  {
    when: /setting up uid map|RTM_NEWADDR|creating new namespace|No permissions to create|user namespace/i,
    advice:
      'this system does not let ordinary programs make user namespaces (Ubuntu 24.04 and later: AppArmor; in a container: ' +
      'its own profile). Give bwrap an AppArmor profile with `userns,`, or use Podman or Docker',
  },
  {
    when: /cgroup|Delegate|controller/i,
    advice: 'limits need cgroup v2 with the memory and pids controllers delegated to this user (systemd: Delegate=yes)',
  },
  {
    when: /seccomp|loading filter/i,
    advice: 'upgrade libseccomp and the OCI runtime; never switch the profile off',
  },
  {
    when: /EACCES|permission denied/i,
    advice: 'with SELinux, set safety.selinux; else see whether this user may use the engine’s socket and its folders',
  },
];

/** Why the probe could not run, for people: what happened, and what is known to help. */
export function explainFailure(message: string): string {
  const advice = KNOWN.find(({ when }) => when.test(message))?.advice;
  return advice ? `${message} (${advice})` : message;
}

/** Why the probe did not come to its end. */
export function explainEnding({ trailer, exitCode }: Ending, complaint: string): string {
  const said = complaint.trim().slice(0, MOST_COMPLAINT);
  const words = said ? `: ${said}` : '';
  if (!trailer)
    return `the probe’s sandbox ended without the supervisor’s word (exit code ${exitCode ?? 'unknown'})${words}`;
  switch (trailer.kind) {
    case 'mount-mismatch':
      return `what is mounted is not the folder that was asked for: ${ELSEWHERE}`;
    case 'deadline':
      return 'the probe did not finish in its time';
    case 'exited':
      return `the probe broke off (${trailer.signal ? `signal ${trailer.signal}` : `exit code ${trailer.code}`})${words}`;
    default:
      return `the supervisor could not start the probe: ${trailer.kind}, ${errnoName(trailer.errno)}${words}`;
  }
}
