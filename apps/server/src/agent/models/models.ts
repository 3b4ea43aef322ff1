import { ModelError, type ModelInfo, type ModelPort } from '@drawbridge/agent';
import type { Clock } from '@drawbridge/kit';
import { callModel } from './call-model.ts';
import { choiceOf, helperChoiceOf, type ModelChoice, type Vendor } from './choice.ts';
import { contextTokensOf } from './known-models.ts';
import type { Recorder } from './record.ts';

/** What the owner's settings say about models, with keys. */
export interface ModelSettings {
  model: string | null;
  modelUrl: string | null;
  modelKey: string | null;
  vendorKeys: Record<Vendor, string | null>;
  /** Null: the main model. */
  helperModel: string | null;
  /** Null: by model. */
  contextTokens: number | null;
  maxOutputTokens: number;
  prices: { input: number; cached: number; output: number } | null;
}

type Use = 'main' | 'helper';

/** The model that is chosen for a use; null without one, and for a bare name without a URL. */
export const chosenModel = (settings: ModelSettings, use: Use): ModelChoice | null => {
  const main = choiceOf(settings, settings);
  if (use === 'main' || main === null || settings.helperModel === null) return main;
  return helperChoiceOf(settings.helperModel, main, settings);
};

interface ModelsNeeds {
  /** Read for each call: a change holds from the next one. */
  settings(): Promise<ModelSettings>;
  clock: Clock;
  /** Undefined where exchanges are not recorded. */
  recorder?: Recorder | undefined;
}

export const createModels = ({ settings, clock, recorder }: ModelsNeeds): ModelPort => {
  const lowered = new Map<string, number>();

  const infoOf = (choice: ModelChoice, given: ModelSettings): ModelInfo => {
    const set = choice.id === given.model ? given.contextTokens : null;
    const known = set ?? contextTokensOf(choice.model);
    const contextTokens = Math.min(known, lowered.get(choice.id) ?? known);
    return {
      id: choice.id,
      provider: choice.provider,
      contextTokens,
      maxOutputTokens: Math.min(given.maxOutputTokens, Math.floor(contextTokens / 2)),
      prices: given.prices,
    };
  };

  return {
    info: async (use) => {
      const given = await settings();
      const choice = chosenModel(given, use);
      return choice === null ? null : infoOf(choice, given);
    },
    stream: async function* (request, signal) {
      const given = await settings();
      const choice = chosenModel(given, request.use);
      if (choice === null) throw new ModelError('model', 'No model is chosen.');
      const maxOutputTokens = request.maxOutputTokens ?? infoOf(choice, given).maxOutputTokens;
      yield* callModel({ choice, clock, recorder }, { ...request, maxOutputTokens }, signal);
    },
    lowerContext: (modelId, tokens) => {
      lowered.set(modelId, Math.min(tokens, lowered.get(modelId) ?? tokens));
    },
  };
};
