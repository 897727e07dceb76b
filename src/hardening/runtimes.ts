/** gVisor's and Kata's, by the names under which engines know them (`runsc`, `kata-runtime`, `io.containerd.runsc.v1`). */
const OWN_FILE_SYSTEM = /^(io\.containerd\.)?(runsc|kata)\b/;

/**
 * Whether folders show another device and inode inside than on the host, since the runtime serves them through a file
 * system of its own. The supervisor cannot compare them there; the host then does, right after the start.
 */
export function hidesInodes(runtime: string): boolean {
  return OWN_FILE_SYSTEM.test(runtime);
}
