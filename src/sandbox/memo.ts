/** Where what was made is kept, by its key: a Map or a WeakMap. */
interface Store<K, V> {
  get(key: K): Promise<V> | undefined;
  set(key: K, made: Promise<V>): unknown;
  delete(key: K): boolean;
}

/** What is kept for a key, else makes it and keeps it. What fails is forgotten: it need not fail again. */
export function memo<K, V>(kept: Store<K, V>, key: K, make: () => Promise<V>): Promise<V> {
  const known = kept.get(key);
  if (known) return known;
  const made = make();
  kept.set(key, made);
  made.catch(() => kept.delete(key));
  return made;
}
