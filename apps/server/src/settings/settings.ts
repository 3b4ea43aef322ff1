import type { RuntimeSettings, SettingsPatch } from '@drawbridge/contracts/rpc/settings';
import { createSerialQueue, type Clock } from '@drawbridge/kit';
import type { CacheRows } from '../db/index.ts';
import { errors } from '../errors.ts';
import { changedPaths, completeSettings, patchSettings } from './merge.ts';
import type { SettingsStore } from './settings.store.ts';

/** `revision` rises by one with each change; 0 while nothing was changed. */
export interface SettingsNow {
  values: RuntimeSettings;
  revision: number;
}

interface Needs {
  store: SettingsStore;
  cacheRows: CacheRows;
  clock: Clock;
}

/** Settings that change while the server runs, stored for every server of the store. */
export const createRuntimeSettings = ({ store, cacheRows, clock }: Needs) => {
  const oneByOne = createSerialQueue();
  const readRow = async (): Promise<SettingsNow> => {
    const row = await store.read();
    return { values: completeSettings(row?.values), revision: row?.revision ?? 0 };
  };
  const readCached = cacheRows(readRow);
  let known: SettingsNow | null = null;
  const get = async (): Promise<SettingsNow> => (known = await readCached('server'));

  return {
    get,
    /** Throws `conflict` if the settings have another revision than the one given, `badRequest`. */
    patch: (change: SettingsPatch, expected?: number): Promise<SettingsNow> =>
      oneByOne(async () => {
        const before = await readRow();
        if (expected !== undefined && expected !== before.revision) throw errors.conflict();
        const after = { values: patchSettings(before.values, change), revision: before.revision + 1 };
        if (!(await store.write(after, clock.now()))) throw errors.conflict();
        return after;
      }),
    /** Reads the store again. Returns the paths of settings that another server has changed meanwhile. */
    reload: async (): Promise<string[]> => {
      const before = known;
      known = await readRow();
      return before === null ? [] : changedPaths(before.values, known.values);
    },
  };
};

export type SettingsOfServer = ReturnType<typeof createRuntimeSettings>;
