import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { openStandIn, replyJson } from '../../../test/http-stand-in.ts';
import { createSearch, type SearchConfig } from './search.ts';

type Answer = Parameters<typeof openStandIn>[0];

const brave: Answer = (_request, reply) =>
  replyJson(reply, {
    web: {
      results: [
        { title: ' A  title', url: 'https://one.example/a', description: 'words' },
        { title: 'Script', url: 'javascript:alert(1)', description: '' },
        { title: 'Two', url: 'https://two.example/' },
        null,
      ],
    },
  });

const open = async (answer: Answer, of: 'brave' | 'searxng' = 'brave') => {
  const service = await openStandIn(answer);
  const clock = createFakeClock();
  const configs: Record<typeof of, SearchConfig> = {
    brave: { braveKey: 'key-1', searxngUrl: 'http://127.0.0.1:9/' },
    searxng: { braveKey: null, searxngUrl: `${service.url}/searx` },
  };
  const search = createSearch({ clock, config: async () => configs[of], braveUrl: `${service.url}/res` });
  const { signal } = new AbortController();
  const ask = (query = 'a query', count = 5, userId = 'ada') =>
    search.search(userId, query, { count, signal });
  return { ...service, clock, search, ask };
};

describe('web search', () => {
  it('SS-16 gives hits of Brave as text: pages of the web only', async () => {
    const { ask, asked } = await open(brave);
    expect(await ask('  what   is it ')).toEqual([
      { title: 'A title', url: 'https://one.example/a', snippet: 'words' },
      { title: 'Two', url: 'https://two.example/', snippet: '' },
    ]);
    expect(asked).toMatchObject([
      {
        path: '/res?q=what+is+it&count=20&text_decorations=false',
        headers: { 'x-subscription-token': 'key-1' },
      },
    ]);
  });

  it('asks SearXNG where there is no key, below its path', async () => {
    const results = [{ title: 'One', url: 'https://one.example/', content: 'words' }];
    const { ask, asked } = await open((_request, reply) => replyJson(reply, { results }), 'searxng');
    expect(await ask()).toEqual([{ title: 'One', url: 'https://one.example/', snippet: 'words' }]);
    expect(asked.map(({ path }) => path)).toEqual(['/searx/search?q=a+query&format=json']);
  });

  it('gives at most the count, and 20', async () => {
    const results = Array.from({ length: 40 }, (_, at) => ({ title: 't', url: `https://one.example/${at}` }));
    const { ask } = await open((_request, reply) => replyJson(reply, { results }), 'searxng');
    expect(await Promise.all([2, 50].map(async (count) => (await ask('q', count)).length))).toEqual([2, 20]);
  });

  it('remembers an answer for 15 minutes, for one user, and 100 of them', async () => {
    const { ask, asked, clock } = await open(brave);
    await ask();
    await ask();
    expect(asked).toHaveLength(1);
    await ask('a query', 5, 'bob');
    expect(asked).toHaveLength(2);
    clock.advance(15 * 60_000);
    await ask();
    expect(asked).toHaveLength(3);
    for (let at = 0; at < 100; at += 1) await ask(`query ${at}`);
    await ask();
    expect(asked).toHaveLength(104);
  });

  it.each([
    ['searxng', 403, 'search.formats'],
    ['searxng', 500, 'status 500'],
    ['brave', 401, 'refused the key'],
    ['brave', 429, 'limit of its key'],
    ['brave', 200, 'not the JSON of a search'],
  ] as const)('explains that %s answers with %d', async (of, status, sentence) => {
    const { ask } = await open((_request, reply) => void reply.writeHead(status).end('<html>key-1'), of);
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(sentence);
    expect(String(error)).not.toContain('key-1');
  });

  it('SS-10 the key goes to no other origin: a redirect fails', async () => {
    const other = await openStandIn(brave);
    const { ask } = await open((_request, reply) => void reply.writeHead(302, { location: other.url }).end());
    await expect(ask()).rejects.toThrow('Brave Search could not be reached.');
    expect(other.asked).toEqual([]);
  });

  it('RX-14 an answer that is silent or too large ends with a sentence', async () => {
    const slow = await open(() => slow.clock.advance(10_000));
    await expect(slow.ask()).rejects.toThrow('did not answer within 10 seconds');
    const large = await open((_request, reply) => void reply.end(Buffer.alloc(3 * 1024 * 1024, 'x')));
    await expect(large.ask()).rejects.toThrow('too large');
  });

  it('says in a test what it answers, or what is wrong', async () => {
    const { search, close } = await open(brave);
    expect(await search.test()).toEqual([
      { name: 'Brave Search', state: 'ok', text: 'Answered with 2 hits.' },
    ]);
    close();
    expect(await search.test()).toEqual([
      { name: 'Search', state: 'failed', text: 'Brave Search could not be reached.' },
    ]);
  });

  it('is off without a service', async () => {
    const config = async () => ({ braveKey: null, searxngUrl: null });
    const search = createSearch({ clock: createFakeClock(), config });
    expect(await search.isOn()).toBe(false);
    const { signal } = new AbortController();
    await expect(search.search('ada', 'q', { count: 1, signal })).rejects.toThrow('No search service');
  });
});
