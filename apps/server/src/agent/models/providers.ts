import type { LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import type { ModelChoice, Provider } from './choice.ts';

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

/** The provider's model, imported at its first use. */
export const openModel = (choice: ModelChoice, ownFetch: typeof fetch): Promise<LanguageModelV3> =>
  makers[choice.provider](choice.model, {
    baseURL: choice.url.replace(/\/+$/, ''),
    apiKey: choice.key ?? '',
    fetch: ownFetch,
  });

/** OpenAI keeps no copy of a conversation. */
export const optionsOf = (provider: Provider): SharedV3ProviderOptions =>
  provider === 'openai' ? { openai: { store: false } } : {};
