import type { Clock } from '@drawbridge/kit';
import { inject, type InjectionKey } from 'vue';
import type { Api } from './trpc.ts';

export const apiKey: InjectionKey<Api> = Symbol('api');
export const clockKey: InjectionKey<Clock> = Symbol('clock');

const given = <T>(key: InjectionKey<T>): T => {
  const value = inject(key, null);
  if (value === null) throw new Error(`${String(key)} was not provided`);
  return value;
};

/** The API that the app was made with. */
export const useApi = (): Api => given(apiKey);

/** The clock that the app was made with: the panel's only way to wait. */
export const useClock = (): Clock => given(clockKey);
