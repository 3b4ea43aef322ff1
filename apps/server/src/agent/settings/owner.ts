import type { AgentSettingsInput, SettingsDraft } from '@drawbridge/contracts/agent/settings';
import { createSerialQueue, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { CacheRows } from '../../db/index.ts';
import type { AgentEnvironment } from '../config-schema.ts';
import { keyOriginOf } from '../models/index.ts';
import type { KeyBox, KeyLabel } from './key-box.ts';
import { changed, effective, ownValues, type Effective, type OwnValues } from './merge.ts';
import type { SettingsStore } from './settings.store.ts';

/** The owner's row, and what holds with the environment. */
export interface OwnerValues {
  own: OwnValues;
  holds: Effective;
}

export interface OwnerSettings extends OwnerValues {
  /** Keys that the owner has set; null without one for the present server. */
  modelKey: string | null;
  braveKey: string | null;
}

const scope = 'all';
const braveLabel: KeyLabel = { scope, name: 'braveKey', origin: null };
const modelLabel = (holds: Effective): KeyLabel => ({
  scope,
  name: 'modelKey',
  origin: keyOriginOf(holds),
});

interface Needs {
  store: SettingsStore;
  cacheRows: CacheRows;
  keys: KeyBox;
  environment: AgentEnvironment;
  clock: Clock;
}

export const createOwner = ({ store, cacheRows, keys, environment, clock }: Needs) => {
  const oneByOne = createSerialQueue();

  const readRow = async () => {
    const row = await store.read(scope);
    const own = ownValues.parse(row?.values ?? {});
    return { own, holds: effective(own, environment), sealedKeys: row?.sealedKeys ?? {} };
  };
  const readCached = cacheRows(readRow);

  const read = (): Promise<OwnerValues> => readCached(scope);

  const readWithKeys = async (): Promise<OwnerSettings> => {
    const { own, holds, sealedKeys } = await readCached(scope);
    return {
      own,
      holds,
      modelKey: keys.open(sealedKeys, modelLabel(holds)),
      braveKey: keys.open(sealedKeys, braveLabel),
    };
  };

  /** As if `draft` were saved: a saved key opens for the server alone that it was sealed for. */
  const readDraft = async (draft: SettingsDraft): Promise<OwnerSettings> => {
    const { own, sealedKeys } = await readRow();
    const values = changed(own, draft);
    const holds = effective(values, environment);
    const label = modelLabel(holds);
    const withModel = keys.put(sealedKeys, label, draft.modelKey);
    const all = keys.put(withModel, braveLabel, draft.braveKey);
    return { own: values, holds, modelKey: keys.open(all, label), braveKey: keys.open(all, braveLabel) };
  };

  const write = async (input: AgentSettingsInput) => {
    const { own, sealedKeys } = await readRow();
    const values = changed(own, input);
    const label = modelLabel(effective(values, environment));
    if (input.modelKey != null && label.origin === null)
      throw errors.badRequest({ message: 'Choose the model together with its key' });
    const withModel = keys.put(sealedKeys, label, input.modelKey);
    const all = keys.put(withModel, braveLabel, input.braveKey);
    await store.write(scope, { values, sealedKeys: all }, clock.now());
  };

  return {
    read,
    readWithKeys,
    readDraft,
    change: (input: AgentSettingsInput) => oneByOne(() => write(input)),
  };
};
