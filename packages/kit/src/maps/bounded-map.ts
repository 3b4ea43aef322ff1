import { createTransientMap } from './transient-map.ts';

export interface BoundedMapOptions<K, V> {
  maxEntries: number;
  /** Limit of the sum of all weights. */
  maxWeight?: number;
  /** The weight of an entry; default 1. */
  weigh?(value: V): number;
  /** An entry for which this is false is never evicted. */
  isEvictable?(value: V): boolean;
  /** Called for each entry that a bound removed. */
  onEvict?(key: K, value: V): void;
}

/** A map that evicts its oldest entries when it holds too many of them. */
export interface BoundedMap<K, V> extends Iterable<[K, V]> {
  get(key: K): V | undefined;
  has(key: K): boolean;
  /** Sets an entry as the newest one, and evicts entries over the bounds. */
  set(key: K, value: V): void;
  delete(key: K): boolean;
  clear(): void;
  readonly size: number;
}

export const createBoundedMap = <K, V>(options: BoundedMapOptions<K, V>): BoundedMap<K, V> => {
  const { maxEntries, maxWeight = Infinity, weigh = () => 1, isEvictable = () => true, onEvict } = options;
  const entries = createTransientMap<K, V>();
  let weight = 0;

  const remove = (key: K): boolean => {
    const value = entries.get(key);
    if (value === undefined && !entries.has(key)) return false;
    // The key is there, so the value is one of the map's.
    weight -= weigh(value as V);
    return entries.delete(key);
  };

  const isOver = () => entries.size > maxEntries || weight > maxWeight;

  const evict = () => {
    for (const [key, value] of entries) {
      if (!isOver()) return;
      if (!isEvictable(value)) continue;
      remove(key);
      onEvict?.(key, value);
    }
  };

  return {
    get: (key) => entries.get(key),
    has: (key) => entries.has(key),
    set: (key, value) => {
      remove(key);
      entries.set(key, value);
      weight += weigh(value);
      if (isOver()) evict();
    },
    delete: remove,
    clear: () => {
      entries.clear();
      weight = 0;
    },
    get size() {
      return entries.size;
    },
    [Symbol.iterator]: () => entries[Symbol.iterator](),
  };
};
