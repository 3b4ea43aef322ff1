import { errors } from '../../errors.ts';
import { apiKey } from '../../program/setting.ts';
import type { AgentEnvironment } from '../config-schema.ts';
import { choiceOf, keyOriginOf, type ModelPlace, type ModelSettings } from '../models/index.ts';
import type { Sealer } from '../../secrets/index.ts';
import type { Scope } from './settings.store.ts';

/** A key is sealed for its scope and the server that it is sent to: for another one it cannot be read. */
export interface KeyLabel {
  scope: Scope;
  name: string;
  /** Null for a key of a service that has one address. */
  origin: string | null;
}

type SealedKeys = Record<string, string>;

const purposeOf = ({ scope, name, origin }: KeyLabel) => JSON.stringify([scope, name, origin]);

/** `hide` masks a key in the log from now on. */
export const createKeyBox = (sealer: Sealer, hide: (secret: string) => void) => ({
  /** Null without a key, and for one that was sealed for another server. */
  open: (sealed: SealedKeys, label: KeyLabel): string | null => {
    const text = sealed[label.name];
    const key = text === undefined ? null : sealer.unseal(text, purposeOf(label));
    if (key !== null) hide(key);
    return key;
  },
  /** The keys after a change: undefined keeps one, null removes it. Throws `badRequest` for blanks. */
  put: (sealed: SealedKeys, label: KeyLabel, key: string | null | undefined): SealedKeys => {
    if (key === undefined) return sealed;
    const { [label.name]: _before, ...others } = sealed;
    if (key === null) return others;
    if (!apiKey.safeParse(key).success)
      throw errors.badRequest({ message: 'A key has printable characters and no blanks' });
    hide(key);
    return { ...others, [label.name]: sealer.seal(key, purposeOf(label)) };
  },
});

export type KeyBox = ReturnType<typeof createKeyBox>;

/** The place that the keys of the environment were set for. */
const placeOfEnvironment = (place: ModelPlace, given: AgentEnvironment): ModelPlace => ({
  model: given.agentModel ?? place.model,
  modelUrl: given.agentModelUrl ?? null,
});

export const vendorKeysOf = (given: AgentEnvironment): ModelSettings['vendorKeys'] => ({
  anthropic: given.anthropicKey ?? null,
  openai: given.openaiKey ?? null,
  google: given.googleKey ?? null,
});

/** The key for a model: the owner's, else the environment's where it was set for the same server. */
export const modelKeyOf = (own: string | null, place: ModelPlace, given: AgentEnvironment): string | null => {
  if (own !== null) return own;
  const isSameServer = keyOriginOf(place) === keyOriginOf(placeOfEnvironment(place, given));
  return isSameServer ? (given.agentModelKey ?? null) : null;
};

/** The key that goes with a model's requests, a vendor's own included. */
export const sentKeyOf = (modelKey: string | null, place: ModelPlace, given: AgentEnvironment) =>
  choiceOf(place, { modelKey, vendorKeys: vendorKeysOf(given) })?.key ?? null;

const shortest = 12;

/** A short key shows nothing of itself. */
export const keyView = (key: string | null): { lastFour: string } | null =>
  key === null ? null : { lastFour: key.length < shortest ? '' : key.slice(-4) };
