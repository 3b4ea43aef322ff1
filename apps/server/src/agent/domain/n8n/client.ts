import { OutsideError } from '@drawbridge/agent';
import { cutText, jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createServiceFetch } from '../../../outside/index.ts';

const limits = { ms: 30_000, maxBytes: 5 * 1024 * 1024 };
const maxMessageLength = 300;

export interface N8nNeeds {
  clock: Clock;
  /** Where n8n is, as the owner set it; null without one. */
  url(): Promise<string | null>;
  /** The user's own API key; null without one. */
  key(userId: string): Promise<string | null>;
}

export interface N8nRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/api/v1/`. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  signal: AbortSignal;
}

/** n8n's public API with one user's key. */
export interface N8nApi {
  key: string;
  /** The parsed answer. Throws an `N8nError`, or the signal's reason. */
  ask(request: N8nRequest): Promise<unknown>;
  /** The address of a page of n8n. */
  link(path: string): string;
}

export class N8nError extends OutsideError {
  readonly status: number | null;
  constructor(message: string, status: number | null = null) {
    super(message);
    this.status = status;
  }
}

const failure = z.object({ message: z.string() });

const parse = (text: string): unknown => {
  try {
    return text === '' ? null : JSON.parse(text);
  } catch {
    throw new N8nError(
      'n8n gave an answer that is not JSON. Check its address in the settings of the agent.',
    );
  }
};

const refusal = (status: number, text: string): string => {
  if (status === 401) return 'n8n refused your key. Set a new one in your settings.';
  if (status === 403) return 'Your key of n8n does not allow this.';
  if (status === 404) return 'n8n has no such object, or your key does not reach it.';
  if (status === 429) return 'n8n is asked too often. Try again later.';
  // Of a page of a proxy the status says enough.
  const said = failure.safeParse(jsonOf(text)).data?.message.replace(/\.\s*$/, '') ?? '';
  return `n8n answered with status ${status}${said && `: ${cutText(said.replace(/\s+/g, ' '), maxMessageLength)}`}.`;
};

/** The API at an address; without a key n8n refuses each request. */
export const apiAt = ({
  clock,
  address,
  key,
}: {
  clock: Clock;
  address: string;
  key: string | null;
}): Omit<N8nApi, 'key'> => {
  const base = new URL(address.endsWith('/') ? address : `${address}/`);
  const askN8n = createServiceFetch({ clock, name: 'n8n', origin: base.origin, limits });

  return {
    ask: async ({ method = 'GET', path, query = {}, body, signal }) => {
      const target = new URL(`api/v1/${path}`, base);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) target.searchParams.set(name, String(value));
      const hasBody = body !== undefined;
      const headers = {
        ...(key !== null && { 'x-n8n-api-key': key }),
        accept: 'application/json',
        ...(hasBody && { 'content-type': 'application/json' }),
      };
      const reply = await askN8n(target, {
        method,
        headers,
        ...(hasBody && { body: JSON.stringify(body) }),
        signal,
      }).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new N8nError(error instanceof Error ? error.message : 'n8n could not be reached.');
      });
      if (reply.status < 200 || reply.status > 299)
        throw new N8nError(refusal(reply.status, reply.text), reply.status);
      return parse(reply.text);
    },
    link: (path) => new URL(path, base).href,
  };
};

/** The API of the user; null without an address or a key. */
export const openApi = async ({ clock, url, key }: N8nNeeds, userId: string): Promise<N8nApi | null> => {
  const [address, own] = await Promise.all([url(), key(userId)]);
  return address === null || own === null ? null : { key: own, ...apiAt({ clock, address, key: own }) };
};
