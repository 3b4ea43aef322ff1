/** What is needed of a `Map` whose entries come and go. */
export interface TransientMap<K, V> extends Pick<Map<K, V>, 'get' | 'has' | 'delete' | 'clear'> {
  set(key: K, value: V): void;
  /** In the order in which the keys were set. What is deleted meanwhile is left out. */
  keys(): IterableIterator<K>;
  values(): IterableIterator<V>;
  readonly size: number;
  [Symbol.iterator](): IterableIterator<[K, V]>;
}

/** More deletions than entries and these lead to a new map. */
const spareDeletions = 32;

/**
 * A map for entries that live as long as a call. A `Map` leaves each table that it has outgrown linked to the
 * next one: once one of them is old, V8 keeps all later entries, and what they reference, until a full
 * collection. A new map from time to time cuts the links.
 * Paid by bench/results.md: "memory of our daemon after that load". Decision 41.
 */
export const createTransientMap = <K, V>(): TransientMap<K, V> => {
  let held = new Map<K, V>();
  let deletions = 0;

  function* entries(): IterableIterator<[K, V]> {
    // A deletion in the loop may make a new map, which has the present values.
    for (const key of held.keys()) if (held.has(key)) yield [key, held.get(key) as V];
  }

  return {
    get: (key) => held.get(key),
    has: (key) => held.has(key),
    set: (key, value) => void held.set(key, value),
    delete: (key) => {
      if (!held.delete(key)) return false;
      deletions += 1;
      if (deletions > held.size + spareDeletions) {
        held = new Map(held);
        deletions = 0;
      }
      return true;
    },
    clear: () => {
      held = new Map();
      deletions = 0;
    },
    *keys() {
      for (const [key] of entries()) yield key;
    },
    *values() {
      for (const [, value] of entries()) yield value;
    },
    get size() {
      return held.size;
    },
    [Symbol.iterator]: entries,
  };
};
