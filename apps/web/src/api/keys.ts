import type { Clock } from '@drawbridge/kit';
import { inject, type InjectionKey } from 'vue';
import type { Api } from './trpc.ts';

export const apiKey: InjectionKey<Api> = Symbol('api');
export const clockKey: InjectionKey<Clock> = Symbol('clock');

const injected = <T>(key: InjectionKey<T>): T => {
  const value = inject(key, null);
  if (value === null) throw new Error(`${String(key)} was not provided`);
  return value;
};

export const useApi = (): Api => injected(apiKey);

export const useClock = (): Clock => injected(clockKey);
