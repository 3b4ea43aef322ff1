import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { createBoundedMap } from '@drawbridge/kit';
import type { ModelChoice, Provider } from './choice.ts';
import { createOwnFetch } from './own-fetch.ts';

interface Given {
  baseURL: string;
  /** Never left out: the packages would read the environment. */
  apiKey: string;
  fetch: typeof fetch;
}

const makers: Record<Provider, (model: string, given: Given) => Promise<LanguageModelV3>> = {
  anthropic: async (model, given) => (await import('@ai-sdk/anthropic')).createAnthropic(given)(model),
  openai: async (model, given) => (await import('@ai-sdk/openai')).createOpenAI(given).responses(model),
  google: async (model, given) => (await import('@ai-sdk/google')).createGoogleGenerativeAI(given)(model),
  compatible: async (model, given) => {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    return createOpenAICompatible({ ...given, name: 'compatible', includeUsage: true })(model);
  },
};

const maxOpened = 16;
const opened = createBoundedMap<string, Promise<LanguageModelV3>>({ maxEntries: maxOpened });

const makeModel = ({ provider, model, url, key }: ModelChoice): Promise<LanguageModelV3> =>
  makers[provider](model, {
    baseURL: url.replace(/\/+$/, ''),
    apiKey: key ?? '',
    fetch: createOwnFetch(new URL(url).origin),
  });

/** The provider's model, imported and made at its first use: its schemas take as long as a request. */
export const openModel = (choice: ModelChoice): Promise<LanguageModelV3> => {
  const { provider, model, url, key } = choice;
  const name = JSON.stringify([provider, model, url, key]);
  const made = opened.get(name) ?? makeModel(choice);
  opened.set(name, made);
  return made;
};

/** OpenAI keeps no copy of a conversation. */
export const optionsOf = (provider: Provider): SharedV3ProviderOptions =>
  provider === 'openai' ? { openai: { store: false } } : {};
