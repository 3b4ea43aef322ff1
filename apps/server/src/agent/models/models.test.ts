import { systemClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { contextTokensOf } from './known-models.ts';
import { chosenModel, createModels, type ModelSettings } from './models.ts';

const settings: ModelSettings = {
  model: 'anthropic/claude-opus',
  modelUrl: null,
  modelKey: 'key',
  vendorKeys: { anthropic: 'key-of-anthropic', openai: 'key-of-openai', google: null },
  helperModel: null,
  contextTokens: null,
  maxOutputTokens: 8_192,
  prices: null,
};
const url = 'http://127.0.0.1:1/v1';

describe('the model of a use', () => {
  it.each<[string, Partial<ModelSettings>, 'main' | 'helper', object | null]>([
    ['a vendor', {}, 'main', { provider: 'anthropic', model: 'claude-opus', key: 'key' }],
    ['a vendor with its own key', { modelKey: null }, 'main', { key: 'key-of-anthropic' }],
    [
      'a vendor at another URL, without the vendor’s key',
      { modelKey: null, modelUrl: url },
      'main',
      { key: null },
    ],
    [
      'a bare name at a URL',
      { model: 'llama', modelUrl: url },
      'main',
      { provider: 'compatible', model: 'llama', url },
    ],
    ['a bare name without a URL', { model: 'llama' }, 'main', null],
    [
      'a name that begins with a vendor, at a URL',
      { model: 'compatible/openai/gpt-5', modelUrl: url },
      'main',
      { provider: 'compatible', model: 'openai/gpt-5' },
    ],
    [
      'a helper of its own',
      { helperModel: 'anthropic/claude-haiku' },
      'helper',
      { model: 'claude-haiku', key: 'key' },
    ],
    [
      'a bare helper',
      { helperModel: 'claude-haiku' },
      'helper',
      { provider: 'anthropic', model: 'claude-haiku' },
    ],
    [
      'a helper of another vendor',
      { helperModel: 'openai/gpt-5-mini' },
      'helper',
      { provider: 'openai', url: 'https://api.openai.com/v1', key: 'key-of-openai' },
    ],
    ['no helper', {}, 'helper', { model: 'claude-opus' }],
  ])('is %s', (_, given, use, expected) => {
    const chosen = chosenModel({ ...settings, ...given }, use);
    if (expected === null) expect(chosen).toBeNull();
    else expect(chosen).toMatchObject(expected);
  });
});

it.each([
  ['claude-sonnet-4-5', 200_000],
  ['anthropic/claude-opus', 200_000],
  ['gpt-4.1-mini', 1_000_000],
  ['o3', 200_000],
  ['ollama-3', 32_000],
  ['stub', 32_000],
])('%s has a context of %s tokens', (model, tokens) => {
  expect(contextTokensOf(model)).toBe(tokens);
});

it('asks with less context once a model has refused a prompt as too long', async () => {
  const models = createModels({ settings: () => Promise.resolve(settings), clock: systemClock });
  expect(await models.info('main')).toMatchObject({ contextTokens: 200_000, maxOutputTokens: 8_192 });
  models.lowerContext('anthropic/claude-opus', 10_000);
  models.lowerContext('anthropic/claude-opus', 50_000);
  expect(await models.info('main')).toMatchObject({ contextTokens: 10_000, maxOutputTokens: 5_000 });
});
