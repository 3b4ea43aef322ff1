import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientInput } from '@drawbridge/contracts/client-input';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../../test/support/tool-fixture.ts';
import { until } from '../../../test/support/scripted-mcp-server.ts';
import {
  ada,
  askedIn,
  askingOnce,
  methods,
  openAsking as open,
  texts,
} from '../../../test/support/mcp-question-fixture.ts';

describe('a server asks the client of a call', () => {
  it('the question goes back, and the answer to the call that is still running', async () => {
    const { call, answer } = await open(askingOnce);
    const asking = await call({});
    expect(asking).toEqual({
      content: [
        {
          type: 'text',
          text: 'The MCP server own asks the program that made this call, and waits 5 min for its answer: Who?',
        },
      ],
      _meta: {
        'drawbridge/inputRequired': {
          inputRequests: {
            question: {
              method: 'elicitation/create',
              params: {
                mode: 'form',
                message: 'The MCP server own asks: Who?',
                requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
              },
            },
          },
          requestState: expect.stringMatching(/^[\w-]{32}$/),
        },
        'drawbridge/started': true,
      },
    });
    const result = await answer(askedIn(asking).requestState, ada);
    expect(result).toEqual({ content: [{ type: 'text', text: JSON.stringify(ada) }] });
  });

  it.each(['decline', 'cancel'])('a client that answers %s is believed', async (action) => {
    const { ask, answer } = await open(askingOnce);
    const { requestState } = await ask();
    expect(textOf(await answer(requestState, { action, content: { name: 'Ada' } }))).toBe(
      JSON.stringify({ action }),
    );
  });

  it('one question after the other, and two at once', async () => {
    const { ask, answer } = await open(
      `on['tools/call'] = async () => {
         const both = await Promise.all([form('one'), form('two')]);
         return text(JSON.stringify([...both, await form('three')].map(({ content }) => content.name)));
       };`,
    );
    let { request, requestState } = await ask();
    const messages = [request?.params?.['message']];
    for (const name of ['1', '2']) {
      ({ request, requestState } = askedIn(
        await answer(requestState, { action: 'accept', content: { name } }),
      ));
      messages.push(request?.params?.['message']);
    }
    expect(messages).toEqual(['one', 'two', 'three'].map((one) => `The MCP server own asks: ${one}`));
    expect(textOf(await answer(requestState, { action: 'accept', content: { name: '3' } }))).toBe(
      '["1","2","3"]',
    );
  });

  it('a page is shown to a client that can show one', async () => {
    const { call } = await open(
      `on['tools/call'] = async () => text(JSON.stringify(await request('elicitation/create', {
         mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://ex\u00e4mple.org/a' })));`,
    );
    expect(texts(await call({}))).toEqual([
      '{"action":"cancel"}',
      'The MCP server own asked a question and got no answer: Sign in\nThe program that made this call cannot be asked.',
    ]);
    expect(askedIn(await call({ methods: [], showsPages: true })).request?.params).toEqual({
      mode: 'url',
      message: 'The MCP server own asks: Sign in',
      url: 'https://xn--exmple-cua.org/a',
    });
  });

  it('what is no answer is asked again', async () => {
    const { ask, answer } = await open(askingOnce);
    let { requestState } = await ask();
    for (const said of [undefined, { content: {} }, { action: 'accept', content: { deep: { er: 1 } } }])
      ({ requestState } = askedIn(await answer(requestState, said)));
    expect(textOf(await answer(requestState, ada))).toBe(JSON.stringify(ada));
  });

  it('a question that the server cancels is not waited for', async () => {
    const { ask, answer, outside } = await open(
      `on['tools/call'] = () => new Promise((resolve) => {
         fs.watch(__dirname, () => {
           write({ method: 'notifications/cancelled', params: { requestId: 'q0' } });
           resolve(text('went on'));
         });
         void form('Who?');
       });`,
    );
    let { requestState } = await ask();
    writeFileSync(join(outside, 'go'), '');
    await until(async () => {
      const result = await answer(requestState, undefined);
      if (textOf(result) !== 'went on') ({ requestState } = askedIn(result));
      expect(textOf(result)).toBe('went on');
    });
  });
});

describe('no client can be asked', () => {
  it.each<[string, Partial<ClientInput> | undefined]>([
    ['a caller that is no MCP client', undefined],
    ['a client without elicitation', { methods: ['sampling/createMessage', 'roots/list'] }],
  ])('%s: the server is told, and so is the caller', async (_name, input) => {
    const { call } = await open(askingOnce);
    expect(await call(input)).toEqual({
      content: [
        { type: 'text', text: '{"action":"cancel"}' },
        {
          type: 'text',
          text: 'The MCP server own asked a question and got no answer: Who?\nThe program that made this call cannot be asked.',
        },
      ],
    });
  });

  it('a server that asks outside of any call is told at once', async () => {
    const { outside } = await open(
      `on['notifications/initialized'] = async () => fs.writeFileSync(__dirname + '/told', JSON.stringify(await form('Who?')));`,
    );
    const told = join(outside, 'told');
    await until(() => expect(existsSync(told)).toBe(true));
    await until(() => expect(readFileSync(told, 'utf8')).toBe('{"action":"cancel"}'));
  });

  it('a question that may belong to one of two calls reaches neither', async () => {
    const { call, ask, answer } = await open(
      `tools = [tool('echo'), tool('other')];
       on['tools/call'] = async () => text(JSON.stringify(await form('Whose?')));`,
    );
    const { requestState } = await ask();
    const note =
      'The MCP server own asked a question while several of its calls were open and got no answer. Call its tools one after the other.';
    expect(texts(await call({}, {}, 'own__other'))).toEqual(['{"action":"cancel"}', note]);
    expect(texts(await answer(requestState, ada))).toEqual([JSON.stringify(ada), note]);
  });

  it.each(['sampling/createMessage', 'roots/list'])('%s is refused', async (method) => {
    const { call } = await open(
      `on['tools/call'] = async () => text(JSON.stringify(await request('${method}', { messages: [], maxTokens: 1 })));`,
    );
    const all = { methods: [...methods, 'sampling/createMessage', 'roots/list'] } as const;
    expect(textOf(await call({ ...all, methods: [...all.methods] }))).toContain('"code":-32601');
  });
});

describe('MC-09 the answer belongs to one call', () => {
  it.each<[string, (state: string) => [Partial<ClientInput>, Record<string, unknown>?, string?]]>([
    ['made up', () => [{ requestState: 'x'.repeat(32) }]],
    ['of other arguments', (requestState) => [{ requestState }, { a: 1 }]],
    ['of another tool', (requestState) => [{ requestState }, {}, 'own__other']],
  ])('a state that is %s continues nothing', async (_name, forge) => {
    const { call, ask, answer } = await open(`tools = [tool('echo'), tool('other')]; ${askingOnce}`);
    const { requestState } = await ask();
    const [input, args, tool] = forge(requestState);
    const forged = await call({ ...input, responses: { question: ada } }, args, tool);
    expect([forged.isError, textOf(forged), forged._meta]).toEqual([
      true,
      'The question of the MCP server is not open any more: the call that it belonged to has ended, and may have run in part',
      { 'drawbridge/started': false },
    ]);
    expect(textOf(await answer(requestState, ada))).toBe(JSON.stringify(ada));
    expect((await answer(requestState, ada)).isError).toBe(true);
  });

  it('arguments that look like the client’s never reach the server', async () => {
    const { call } = await open('');
    expect(textOf(await call({}, { a: 1 }))).toBe('{"a":1}');
    const odd = await open('');
    const sent = await odd.send({
      requestId: 'odd',
      toolCall: { name: 'own__echo', arguments: { a: 1, _input: 'theirs' } },
    });
    expect(textOf(sent)).toBe('{"a":1}');
  });
});
