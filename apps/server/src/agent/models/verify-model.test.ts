import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedModel, type Script, type Turn } from '../../../../../e2e/agent/scripted-model.ts';
import { createModels } from './models.ts';
import { verifyModel } from './verify-model.ts';

const key = 'sk-secret-key-of-the-owner';

const settings = {
  model: 'stub',
  modelKey: key,
  vendorKeys: { anthropic: null, openai: null, google: null },
  helperModel: null,
  contextTokens: null,
  maxOutputTokens: 8_192,
  prices: null,
};

const verify = async (script: Script, given: Partial<typeof settings & { modelUrl: null }> = {}) => {
  const model = await startScriptedModel(script);
  onTestFinished(model.close);
  const all = { ...settings, modelUrl: model.url, ...given };
  const models = createModels({ settings: () => Promise.resolve(all), clock: systemClock });
  return { model, lines: await verifyModel(models, systemClock) };
};

const good: Turn[] = [
  { text: 'ready' },
  { calls: [{ name: 'report_number', arguments: { number: 7 } }] },
  { text: 'Red.' },
];

it('has five lines that are ok', async () => {
  const { model, lines } = await verify(good);
  expect(lines.map(({ name, state }) => [name, state])).toEqual([
    ['reached', 'ok'],
    ['streams', 'ok'],
    ['calls a tool', 'ok'],
    ['counts tokens', 'ok'],
    ['sees a picture', 'ok'],
  ]);
  expect(model.requests.map(({ tools }) => tools)).toEqual([[], ['report_number'], []]);
  expect(model.requests[2]?.text).toContain('data:image/png;base64,');
});

const error = (message: string) => ({ error: { message, type: 'x' } });

it.each<[string, Turn[], (string | RegExp)[]]>([
  [
    'a wrong key',
    [{ status: 401, body: error(`Incorrect API key: ${key}`) }],
    ['failed', /does not accept the API key \(status 401\)\. Check the key/],
  ],
  [
    'no such model',
    [{ status: 404, body: error('The model `stub` does not exist') }],
    ['failed', /does not offer this model.*Check the name/],
  ],
  [
    'an answer that is no stream',
    [{ status: 200, body: { choices: [] } }],
    ['ok', /answers/, 'failed', /broke off\. Check that the URL leads to an API that streams/],
  ],
  [
    'no tool calls',
    [good[0]!, { text: '7' }, good[2]!],
    ['ok', /answers/, 'ok', /stream/, 'failed', /did not call the tool/],
  ],
  [
    'tools refused',
    [good[0]!, { status: 400, body: error('stub does not support tools') }, good[2]!],
    ['ok', /answers/, 'ok', /stream/, 'failed', /does not support tools.*choose a model that calls them/],
  ],
  [
    'no usage, no pictures',
    [{ text: 'ready', usage: null }, good[1]!, { text: 'I see nothing.' }],
    ['ok', /answers/, 'ok', /stream/, 'ok', /called/, 'failed', /estimated/, 'failed', /red square/],
  ],
])('says what to do with %s', async (_, script, expected) => {
  const { lines } = await verify(script);
  expect(lines).toHaveLength(5);
  for (const [index, text] of expected.entries()) {
    const line = lines[Math.floor(index / 2)];
    expect(index % 2 === 0 ? line?.state : line?.text).toEqual(
      typeof text === 'string' ? text : expect.stringMatching(text),
    );
  }
  expect(JSON.stringify(lines)).not.toContain(key);
});

it('asks nothing without a model', async () => {
  const { model, lines } = await verify(good, { modelUrl: null });
  expect(lines[0]).toMatchObject({ state: 'failed', text: expect.stringContaining('together with its URL') });
  expect(model.requests).toEqual([]);
});
