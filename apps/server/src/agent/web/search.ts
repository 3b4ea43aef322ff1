import { WebError, type SearchHit, type SearchPort } from '@drawbridge/agent';
import type { CheckLine } from '@drawbridge/contracts/agent/settings';
import { createBoundedMap, cutText, parseUrl, type BoundedMap, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createServiceFetch, type ServiceReply } from '../../outside/index.ts';

const braveUrl = 'https://api.search.brave.com/res/v1/web/search';
const limits = { ms: 10_000, maxBytes: 2 * 1024 * 1024 };
const maxHits = 20;
const maxQueryLength = 400;
const maxTextLength = 1_000;
const cacheMs = 15 * 60_000;
const cachedPerUser = 100;
const cachedUsers = 1_000;

/** With both, Brave is asked. */
export interface SearchConfig {
  braveKey: string | null;
  searxngUrl: string | null;
}

interface Needs {
  clock: Clock;
  config(): Promise<SearchConfig>;
  /** Where Brave's service is, for a test. */
  braveUrl?: string;
}

interface Question {
  url: URL;
  headers: Record<string, string>;
  service: string;
  read(json: unknown): SearchHit[];
  refused(status: number): string;
}

const text = z.string().catch('');
/** The rows that can be read. */
const hits = (row: z.ZodType<SearchHit>) =>
  z.array(z.unknown()).transform((rows) => rows.flatMap((value) => row.safeParse(value).data ?? []));
const braveHit = z
  .object({ title: text, url: z.string(), description: text })
  .transform(({ title, url, description }) => ({ title, url, snippet: description }));
const searxngHit = z
  .object({ title: text, url: z.string(), content: text })
  .transform(({ title, url, content }) => ({ title, url, snippet: content }));
const braveReply = z.object({ web: z.object({ results: hits(braveHit) }).optional() });
const searxngReply = z.object({ results: hits(searxngHit) });

const askBrave = (base: string, key: string, query: string): Question => {
  const url = new URL(base);
  url.search = new URLSearchParams({
    q: query,
    count: String(maxHits),
    text_decorations: 'false',
  }).toString();
  return {
    url,
    headers: { 'x-subscription-token': key, accept: 'application/json' },
    service: 'Brave Search',
    read: (json) => braveReply.parse(json).web?.results ?? [],
    refused: (status) => {
      if (status === 401 || status === 403 || status === 422)
        return 'Brave Search refused the key. The owner can change it in the settings of the agent.';
      if (status === 429) return 'Brave Search has reached the limit of its key. Search again later.';
      return `Brave Search answered with status ${status}.`;
    },
  };
};

const askSearxng = (base: string, query: string): Question => {
  const url = new URL('search', base.endsWith('/') ? base : `${base}/`);
  url.search = new URLSearchParams({ q: query, format: 'json' }).toString();
  return {
    url,
    headers: { accept: 'application/json' },
    service: 'SearXNG',
    read: (json) => searxngReply.parse(json).results,
    refused: (status) =>
      status === 403
        ? 'SearXNG does not offer JSON. Its owner allows it with "json" below search.formats in settings.yml.'
        : `SearXNG answered with status ${status}.`,
  };
};

/** Only pages of the web: a hit is text, and its address may become the argument of a fetch. */
const tidied = ({ title, url, snippet }: SearchHit): SearchHit[] => {
  const address = parseUrl(url);
  if (address?.protocol !== 'https:' && address?.protocol !== 'http:') return [];
  const plain = (words: string) => cutText(words.replace(/\s+/g, ' ').trim(), maxTextLength);
  return [{ title: plain(title), url: address.href, snippet: plain(snippet) }];
};

const readReply = ({ status, text: body }: ServiceReply, question: Question): SearchHit[] => {
  if (status !== 200) throw new WebError(question.refused(status));
  try {
    return question.read(JSON.parse(body)).flatMap(tidied).slice(0, maxHits);
  } catch {
    throw new WebError(`The answer of ${question.service} is not the JSON of a search.`);
  }
};

type Cached = BoundedMap<string, { hits: SearchHit[]; untilMs: number }>;

export interface Search extends SearchPort {
  /** Asks the service once, beside the cache. */
  test(): Promise<CheckLine[]>;
}

/** Web search by the owner's service. Its failures are a `WebError` with one sentence. */
export const createSearch = (needs: Needs): Search => {
  const { clock, config } = needs;
  const cache = createBoundedMap<string, Cached>({ maxEntries: cachedUsers });

  const cacheOf = (userId: string): Cached => {
    const own: Cached = cache.get(userId) ?? createBoundedMap({ maxEntries: cachedPerUser });
    cache.set(userId, own);
    return own;
  };
  const questionFor = async (query: string): Promise<Question> => {
    const { braveKey, searxngUrl } = await config();
    if (braveKey !== null) return askBrave(needs.braveUrl ?? braveUrl, braveKey, query);
    if (searxngUrl !== null) return askSearxng(searxngUrl, query);
    throw new WebError(
      'No search service is configured. The owner can add one in the settings of the agent.',
    );
  };
  const ask = async (question: Question, signal: AbortSignal): Promise<SearchHit[]> => {
    const { service, url, headers } = question;
    const askService = createServiceFetch({ clock, name: service, origin: url.origin, limits });
    try {
      return readReply(await askService(url, { headers, signal }), question);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Error && !(error instanceof WebError) ? new WebError(error.message) : error;
    }
  };

  const test = async (): Promise<CheckLine> => {
    try {
      const question = await questionFor('weather');
      const { length } = await ask(question, new AbortController().signal);
      return { name: question.service, state: 'ok', text: `Answered with ${length} hits.` };
    } catch (error) {
      return { name: 'Search', state: 'failed', text: error instanceof Error ? error.message : 'It failed.' };
    }
  };

  return {
    test: async () => [await test()],
    isOn: async () => {
      const { braveKey, searxngUrl } = await config();
      return braveKey !== null || searxngUrl !== null;
    },
    search: async (userId, query, { count, signal }) => {
      const words = cutText(query.replace(/\s+/g, ' ').trim(), maxQueryLength);
      const question = await questionFor(words);
      const own = cacheOf(userId);
      const known = own.get(question.url.href);
      const found = known && known.untilMs > clock.now() ? known.hits : await ask(question, signal);
      if (found !== known?.hits) own.set(question.url.href, { hits: found, untilMs: clock.now() + cacheMs });
      return found.slice(0, Math.min(Math.max(count, 1), maxHits));
    },
  };
};
