/** Pending promises by id. */
export interface Pending<T> {
  /** Parks a promise; the id must be free. */
  park(id: string): Promise<T>;
  /** Resolves the promise of `id`; false if there is no such promise. */
  settle(id: string, value: T): boolean;
  /** Rejects the promise of `id`; false if there is no such promise. */
  fail(id: string, error: unknown): boolean;
  size(): number;
}

export const createPending = <T>(): Pending<T> => {
  const parked = new Map<string, { resolve: (value: T) => void; reject: (error: unknown) => void }>();
  const take = (id: string) => {
    const entry = parked.get(id);
    parked.delete(id);
    return entry;
  };
  return {
    park: (id) => {
      if (parked.has(id)) throw new Error(`A promise is parked under ${id} already`);
      return new Promise<T>((resolve, reject) => parked.set(id, { resolve, reject }));
    },
    settle: (id, value) => {
      const entry = take(id);
      entry?.resolve(value);
      return entry !== undefined;
    },
    fail: (id, error) => {
      const entry = take(id);
      entry?.reject(error);
      return entry !== undefined;
    },
    size: () => parked.size,
  };
};
