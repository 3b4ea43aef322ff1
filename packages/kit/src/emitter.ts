/** `onError` receives the errors of listeners. */
export const createEmitter = <T>(onError: (error: unknown) => void) => {
  const listeners = new Map<string, Set<(value: T) => void>>();
  return {
    /** Subscribes to `key`; the returned function unsubscribes. */
    on: (key: string, listen: (value: T) => void) => {
      const own = (value: T) => listen(value);
      const set = listeners.get(key) ?? new Set();
      listeners.set(key, set.add(own));
      return () => {
        set.delete(own);
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
      };
    },
    emit: (key: string, value: T) => {
      for (const listen of [...(listeners.get(key) ?? [])]) {
        try {
          listen(value);
        } catch (error) {
          onError(error);
        }
      }
    },
    /** The number of listeners of `key`. */
    count: (key: string) => listeners.get(key)?.size ?? 0,
  };
};

/** Publishes values to the listeners of a key. A listener that throws does not affect the others. */
export type Emitter<T> = ReturnType<typeof createEmitter<T>>;
