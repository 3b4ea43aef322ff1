/** Publishes values of one type to whoever listens under a key. A listener that throws does not keep others from hearing. */
export interface Emitter<T> {
  /** Listens under `key`; the returned function stops it. */
  on(key: string, listen: (value: T) => void): () => void;
  emit(key: string, value: T): void;
  /** How many listen under `key`. */
  count(key: string): number;
}

/** Makes an emitter; what a listener throws goes to `onError`. */
export const createEmitter = <T>(onError: (error: unknown) => void): Emitter<T> => {
  const listeners = new Map<string, Set<(value: T) => void>>();
  return {
    on: (key, listen) => {
      const own = (value: T) => listen(value);
      const set = listeners.get(key) ?? new Set();
      listeners.set(key, set.add(own));
      return () => {
        set.delete(own);
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
      };
    },
    emit: (key, value) => {
      const heardNow = [...(listeners.get(key) ?? [])];
      for (const listen of heardNow) {
        try {
          listen(value);
        } catch (error) {
          onError(error);
        }
      }
    },
    count: (key) => listeners.get(key)?.size ?? 0,
  };
};
