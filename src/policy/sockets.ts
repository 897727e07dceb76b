/** Flag of a socket that accepts connections (`__SO_ACCEPTCON`, include/linux/net.h). */
const ACCEPTS = 0x10000;
const DATAGRAM = '0002';

/**
 * Paths of sockets on which some program takes what others send, from /proc/net/unix: `Num RefCount Protocol Flags Type
 * St Inode Path`. Datagram sockets need no listen. Paths are as they were bound: through links, relative, or gone since.
 * Sockets of other network namespaces are not in there; abstract ones (`@`) have no path and no way into a sandbox.
 */
export function boundSockets(text: string): string[] {
  const paths = text.split('\n').flatMap(line => {
    const [, flags, type, path] = /^\S+ \S+ \S+ ([0-9A-F]+) ([0-9A-F]+) \S+ +\d+ ([^@].*)$/i.exec(line) ?? [];
    if (!flags || !path) return [];
    return Number.parseInt(flags, 16) & ACCEPTS || type === DATAGRAM ? [path] : [];
  });
  return [...new Set(paths)];
}
