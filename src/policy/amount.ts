const KIB = 1024;
const MIB = KIB * KIB;

/** A number of bytes for people, exact: `64 MiB`, `5 KiB`, `5000 bytes`. */
export function amountOf(bytes: number): string {
  if (bytes % MIB === 0) return `${bytes / MIB} MiB`;
  return bytes % KIB === 0 ? `${bytes / KIB} KiB` : `${bytes} bytes`;
}
