/** gVisor's and Kata's, by the names under which engines know them (`runsc`, `kata-runtime`, `io.containerd.runsc.v1`). */
const OWN_KERNEL = /^(io\.containerd\.)?(runsc|kata)\b/;

/**
 * Whether a runtime gives each sandbox a kernel of its own, by its name. What /proc shows is then the sandbox's alone, and
 * folders show another device and inode inside than on the host: the supervisor cannot compare them there, so that the
 * host does, right after the start.
 */
export function hasOwnKernel(runtime: string): boolean {
  return OWN_KERNEL.test(runtime);
}
