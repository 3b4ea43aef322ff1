import { ref, shallowRef, type Ref, type ShallowRef } from 'vue';
import { failureOf, type Failure } from './failure.ts';

/** Runs a request; resolves to its failure, or to null. Never throws. */
export const attempt = async (request: () => Promise<unknown>): Promise<Failure | null> => {
  try {
    await request();
    return null;
  } catch (error) {
    return failureOf(error);
  }
};

/** A value of the server, null until it is loaded, and the failure of the last request. */
export interface Loaded<T> {
  value: ShallowRef<T | null>;
  failure: Ref<Failure | null>;
  /** Requests the value. Only the newest request counts; `set` makes a pending one outdated. Never throws. */
  load(): Promise<void>;
  set(value: T): void;
}

export const createLoaded = <T>(request: () => Promise<T>): Loaded<T> => {
  const value: ShallowRef<T | null> = shallowRef(null);
  const failure = ref<Failure | null>(null);
  let newest = 0;

  const set = (loaded: T) => {
    newest += 1;
    value.value = loaded;
    failure.value = null;
  };
  const load = async () => {
    newest += 1;
    const own = newest;
    const failed = await attempt(async () => {
      const loaded = await request();
      if (own === newest) set(loaded);
    });
    if (own === newest && failed) failure.value = failed;
  };
  return { value, failure, load, set };
};
