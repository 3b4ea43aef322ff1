import { isStoreTrouble } from '../db/index.ts';
import { errors } from '../errors.ts';

/** The same store, whose functions throw `storeUnavailable` where the store itself is in trouble. */
export const mapStoreErrors = <
  Store extends { [Name in keyof Store]: (...args: never[]) => Promise<unknown> },
>(
  store: Store,
): Store => {
  const guard =
    (run: (...args: never[]) => Promise<unknown>) =>
    (...args: never[]) =>
      run(...args).catch((cause: unknown) => {
        throw isStoreTrouble(cause) ? errors.storeUnavailable({ cause }) : cause;
      });
  const functions = Object.entries<(...args: never[]) => Promise<unknown>>(store);
  // Each function keeps its name and its type; only what it throws is another.
  return Object.fromEntries(functions.map(([name, run]) => [name, guard(run)])) as Store;
};
