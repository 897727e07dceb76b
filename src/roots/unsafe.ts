/** An archive that is not unpacked: it tries to get out of its folder, or is larger than allowed. Internal to this folder. */
export class UnsafeArchive extends Error {
  override readonly name = 'UnsafeArchive';
}
