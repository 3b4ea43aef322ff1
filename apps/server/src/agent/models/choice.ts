import { parseUrl } from '@drawbridge/kit';

const vendors = ['anthropic', 'openai', 'google'] as const;
export type Vendor = (typeof vendors)[number];
/** `compatible`: any server of OpenAI's chat completions. */
export type Provider = Vendor | 'compatible';

/** A model, where it is served, and the key for that server. */
export interface ModelChoice {
  /** As it was chosen, such as `anthropic/claude-…`. */
  id: string;
  provider: Provider;
  /** The provider's name of the model. */
  model: string;
  url: string;
  key: string | null;
}

/** What names a model, before its key is known. */
export interface ModelPlace {
  model: string | null;
  modelUrl: string | null;
}

const vendorUrls: Record<Vendor, string> = {
  anthropic: 'https://api.anthropic.com/v1',
  openai: 'https://api.openai.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
};

const split = (id: string): { provider: Provider; model: string } => {
  for (const provider of [...vendors, 'compatible'] as const)
    if (id.startsWith(`${provider}/`)) return { provider, model: id.slice(provider.length + 1) };
  return { provider: 'compatible', model: id };
};

export const providerOf = (id: string): Provider => split(id).provider;

/** Where a model is served; null without a model, and for a bare name without a URL. */
const placeOf = ({ model: id, modelUrl }: ModelPlace): Omit<ModelChoice, 'key'> | null => {
  if (id === null) return null;
  const { provider, model } = split(id);
  const url = modelUrl ?? (provider === 'compatible' ? null : vendorUrls[provider]);
  return url === null || model === '' ? null : { id, provider, model, url };
};

/** The origin that a key for this model is sent to; null without a model and its URL. */
export const keyOriginOf = (place: ModelPlace): string | null =>
  parseUrl(placeOf(place)?.url ?? '')?.origin ?? null;

interface Keys {
  /** The key that is set for the model. */
  modelKey: string | null;
  vendorKeys: Record<Vendor, string | null>;
}

/** A vendor's own key goes to the vendor's own address alone. */
export const choiceOf = (place: ModelPlace, { modelKey, vendorKeys }: Keys): ModelChoice | null => {
  const found = placeOf(place);
  if (found === null) return null;
  const { provider, url } = found;
  const vendorKey = provider !== 'compatible' && url === vendorUrls[provider] ? vendorKeys[provider] : null;
  return { ...found, key: modelKey ?? vendorKey };
};

/** A helper of the main model's provider is served at the same place, with the same key. */
export const helperChoiceOf = (helper: string, main: ModelChoice, keys: Keys): ModelChoice | null => {
  const named = split(helper);
  const isBare = named.provider === 'compatible';
  if (isBare || named.provider === main.provider) return { ...main, id: helper, model: named.model };
  return choiceOf({ model: helper, modelUrl: null }, { ...keys, modelKey: null });
};
