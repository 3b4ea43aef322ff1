/** A promise that is settled from outside. */
export interface Deferred<T> {
  promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

/** `Promise.withResolvers`, which Node 20 does not have. */
export const createDeferred = <T = void>(): Deferred<T> => {
  let settle: Pick<Deferred<T>, 'resolve' | 'reject'> | undefined;
  const promise = new Promise<T>((resolve, reject) => (settle = { resolve, reject }));
  if (settle === undefined) throw new Error('a promise calls its executor at once');
  return { promise, ...settle };
};
