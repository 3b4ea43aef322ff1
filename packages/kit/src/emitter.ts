/** Publishes values to the listeners of a key. A listener that throws does not affect the others. */
export interface Emitter<T> {
  /** Subscribes to `key`; the returned function unsubscribes. */
  on(key: string, listen: (value: T) => void): () => void;
  emit(key: string, value: T): void;
  /** The number of listeners of `key`. */
  count(key: string): number;
}

/** `onError` receives the errors of listeners. */
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
      for (const listen of [...(listeners.get(key) ?? [])]) {
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
