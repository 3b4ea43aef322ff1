/** Pending promises by id. */
export const createPending = <T>() => {
  const parked = new Map<string, { resolve: (value: T) => void; reject: (error: unknown) => void }>();
  const take = (id: string) => {
    const entry = parked.get(id);
    parked.delete(id);
    return entry;
  };
  return {
    /** Parks a promise; the id must be free. */
    park: (id: string) => {
      if (parked.has(id)) throw new Error(`A promise is parked under ${id} already`);
      return new Promise<T>((resolve, reject) => parked.set(id, { resolve, reject }));
    },
    /** Resolves the promise of `id`; false if there is no such promise. */
    settle: (id: string, value: T) => {
      const entry = take(id);
      entry?.resolve(value);
      return entry !== undefined;
    },
    /** Rejects the promise of `id`; false if there is no such promise. */
    fail: (id: string, error: unknown) => {
      const entry = take(id);
      entry?.reject(error);
      return entry !== undefined;
    },
    size: () => parked.size,
  };
};

export type Pending<T> = ReturnType<typeof createPending<T>>;
