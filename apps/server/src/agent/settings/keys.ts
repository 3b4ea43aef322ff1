import type { AgentEnvironment } from '../config-schema.ts';
import { choiceOf, keyOriginOf, type ModelPlace, type ModelSettings } from '../models/index.ts';

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
