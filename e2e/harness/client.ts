import { sessionProofHeader } from '@drawbridge/contracts/accounts';
import type { AppRouter } from '@drawbridge/server/router';
import { createTRPCClient, httpLink, httpSubscriptionLink, splitLink, type TRPCClient } from '@trpc/client';
import { EventSource } from 'eventsource';

export type Api = TRPCClient<AppRouter>;

export interface Account {
  name: string;
  email: string;
  password: string;
}

/** One person's cookies, and what can be asked with them. */
export interface Person {
  api: Api;
  /** Any request, with the cookies; `path` begins with a slash. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  signIn(account: Account): Promise<void>;
  /** The headers that prove who asks. */
  headers(): Record<string, string>;
  /** The cookies as a browser takes them. */
  cookies(): { name: string; value: string; url: string }[];
  /** What the panel keeps in the storage of its origin. */
  storage(): { origin: string; localStorage: { name: string; value: string }[] };
}

/** `more`: headers of every request. */
export const createPerson = (url: string, more: Readonly<Record<string, string>> = {}): Person => {
  const jar = new Map<string, string>();
  let proof: string | undefined;
  const proofHeaders = (): Record<string, string> =>
    jar.size > 0
      ? {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(proof !== undefined && { [sessionProofHeader]: proof }),
        }
      : {};

  const fetchWithCookies = async (input: string | URL | Request, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries({ ...more, ...proofHeaders() })) headers.set(name, value);
    const response = await fetch(input, { ...init, headers });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      jar.set(pair.slice(0, at), pair.slice(at + 1));
      proof = /"sessionProof":"([^"]+)"/.exec(await response.clone().text())?.[1] ?? proof;
    }
    return response;
  };

  class EventSourceWithCookies extends EventSource {
    constructor(address: string | URL) {
      super(address, { fetch: (input, init) => fetchWithCookies(input, init) });
    }
  }

  const http = { url: `${url}/trpc`, fetch: fetchWithCookies };
  return {
    api: createTRPCClient<AppRouter>({
      links: [
        splitLink({
          condition: (operation) => operation.type === 'subscription',
          true: httpSubscriptionLink({ url: http.url, EventSource: EventSourceWithCookies }),
          false: httpLink(http),
        }),
      ],
    }),
    fetch: (path, init) => fetchWithCookies(url + path, init),
    signIn: async ({ email, password }) => {
      const response = await fetchWithCookies(`${url}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      if (!response.ok) throw new Error(`sign-in: ${response.status} ${await response.text()}`);
    },
    headers: proofHeaders,
    storage: () => ({
      origin: url,
      localStorage: proof === undefined ? [] : [{ name: 'drawbridge-session-proof', value: proof }],
    }),
    cookies: () => [...jar].map(([name, value]) => ({ name, value, url })),
  };
};
