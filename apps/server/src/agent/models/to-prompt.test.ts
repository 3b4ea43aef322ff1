import type { ModelRequest, PromptMessage } from '@drawbridge/agent';
import { describe, expect, it } from 'vitest';
import { toPrompt } from './to-prompt.ts';

const picture = { type: 'image', data: 'aGk=', mediaType: 'image/png' } as const;
const result: PromptMessage = {
  role: 'tool',
  results: [
    {
      toolCallId: 'tc_1',
      tool: 'screenshot',
      parts: [{ type: 'text', text: 'Taken.' }, picture],
      isError: false,
    },
  ],
};

const prompt = (messages: readonly PromptMessage[], provider: Parameters<typeof toPrompt>[1]) => {
  const request: ModelRequest = { use: 'main', system: ['one', 'two'], messages: [...messages], tools: [] };
  return toPrompt(request, provider);
};

describe('the prompt of a provider', () => {
  it.each(['compatible', 'openai'] as const)(
    'shows the picture of a result to %s as the user’s',
    (provider) => {
      const [system, tool, user] = prompt([result], provider);
      expect(system).toEqual({ role: 'system', content: 'one\n\ntwo' });
      expect(JSON.stringify(tool)).not.toContain('aGk=');
      expect(user).toEqual({
        role: 'user',
        content: [
          { type: 'text', text: 'The picture of screenshot:' },
          { type: 'file', data: 'aGk=', mediaType: 'image/png' },
        ],
      });
    },
  );

  it.each(['anthropic', 'google'] as const)('leaves the picture in the result for %s', (provider) => {
    const sent = prompt([result], provider);
    expect(sent.at(-1)).toMatchObject({
      role: 'tool',
      content: [
        {
          toolCallId: 'tc_1',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'Taken.' },
              { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
            ],
          },
        },
      ],
    });
  });

  it.each(['{"path":', '[1]', '"text"', '{"__proto__":{"x":1}}'])('sends %s as no arguments', (text) => {
    const call = { type: 'tool-call', toolCallId: 'tc_1', tool: 'x', arguments: text } as const;
    expect(prompt([{ role: 'assistant', parts: [call] }], 'compatible').at(-1)).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'tc_1', toolName: 'x', input: {} }],
    });
  });
});
