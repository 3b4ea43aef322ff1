import { expect, it } from 'vitest';
import { createMcpPost } from './mcp-post.ts';

const answering = (response: () => Response) => {
  const asked: { url: string; init: RequestInit }[] = [];
  const send: typeof fetch = async (url, init = {}) => {
    asked.push({ url: String(url), init });
    return response();
  };
  return { asked, post: createMcpPost('dbt_x', send) };
};

it('sends the token alone, with the headers of the protocol', async () => {
  const { asked, post } = answering(() => Response.json({ jsonrpc: '2.0', id: 1, result: { a: 1 } }));
  expect(await post('tools/call', { name: 'list_files', arguments: {} })).toEqual({
    kind: 'result',
    result: { a: 1 },
  });
  expect(asked).toMatchObject([
    {
      url: '/mcp',
      init: {
        method: 'POST',
        credentials: 'omit',
        headers: {
          authorization: 'Bearer dbt_x',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'list_files',
        },
      },
    },
  ]);
});

const stream = (text: string) =>
  new Response(text, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } });

it.each([
  ['a result as JSON', () => Response.json({ result: {} }), { kind: 'result', result: {} }],
  [
    'the last event of a stream',
    () => stream(': open\n\ndata: {"method":"x"}\n\ndata: {"result":{"b":2}}\n\n'),
    { kind: 'result', result: { b: 2 } },
  ],
  [
    'an error',
    () => Response.json({ error: { code: -32_001, message: 'no' } }, { status: 401 }),
    { kind: 'refused', http: 401, message: 'no' },
  ],
  [
    "a proxy's page",
    () => new Response('<html>', { status: 502 }),
    { kind: 'refused', http: 502, message: 'The response is not from this server.' },
  ],
  [
    'a stream without an event',
    () => stream(': open\n\n'),
    { kind: 'refused', http: 200, message: 'The response is not from this server.' },
  ],
])('reads %s', async (_, response, reply) => {
  expect(await answering(response).post('tools/list')).toEqual(reply);
});

it('tells when nothing answers', async () => {
  const post = createMcpPost('dbt_x', () => Promise.reject(new TypeError('failed')));
  expect(await post('tools/list')).toEqual({
    kind: 'refused',
    http: 0,
    message: 'The server does not respond.',
  });
});
