import { ref, shallowRef, type ShallowRef } from 'vue';
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

/** The same for a removal: what was removed elsewhere, or has expired, counts as removed. */
export const attemptRemoval = async (request: () => Promise<unknown>): Promise<Failure | null> => {
  const failed = await attempt(request);
  return failed?.code === 'NOT_FOUND' ? null : failed;
};

/** Runs requests one at a time for a form: whether one is running, and the failure of the last one. */
export const createRequest = () => {
  const busy = ref(false);
  const failure = ref<Failure | null>(null);
  /** Takes what resolves to its failure, or to null; resolves to whether it succeeded. */
  const settle = async (request: () => Promise<Failure | null>): Promise<boolean> => {
    busy.value = true;
    failure.value = await request();
    busy.value = false;
    return failure.value === null;
  };
  /** Resolves to whether it succeeded. Never throws. */
  const run = (request: () => Promise<unknown>): Promise<boolean> => settle(() => attempt(request));
  return { busy, failure, run, settle };
};

/** A value of the server, null until it is loaded, and the failure of the last request. */
export const createLoaded = <T>(request: () => Promise<T>) => {
  const value: ShallowRef<T | null> = shallowRef(null);
  const failure = ref<Failure | null>(null);
  let newest = 0;

  const set = (loaded: T) => {
    newest += 1;
    value.value = loaded;
    failure.value = null;
  };
  /** Requests the value. Only the newest request counts; `set` makes a pending one outdated. Never throws. */
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
