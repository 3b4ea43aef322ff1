import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { PlatformError } from '../adapter.ts';
import { createPlatformFetch } from '../platform-fetch.ts';

const login = 'https://login.microsoftonline.com';
const openId = 'https://login.botframework.com';
const scope = 'https://api.botframework.com/.default';
/** A token is renewed so long before its end. */
const renewMs = 5 * 60_000;
const limits = { ms: 20_000, maxBytes: 1_024 * 1_024 };

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const configuration = z.object({ jwks_uri: z.url() });

interface Needs {
  clock: Clock;
  /** Empty: Microsoft's own. */
  url: string;
  appId: string;
  secret: string;
  tenant: string;
  /** Whether our token may go to a service. */
  isService(url: URL): boolean;
}

const toError = (status: number): PlatformError => {
  if (status === 401) return new PlatformError('key', 'Teams does not accept the app. Check its secret.');
  if (status === 403 || status === 404)
    return new PlatformError('gone', 'The app was removed from this chat');
  if (status === 429 || status === 412) return new PlatformError('rate', 'Teams asks to wait', 2_000);
  if (status >= 500) return new PlatformError('network', 'Teams has a problem');
  return new PlatformError('refused', `Teams refuses the message (HTTP ${status})`);
};

/** Calls of the Bot Connector with the app's own token. All throw `PlatformError`. */
export const createTeamsApi = ({ clock, url, appId, secret, tenant, isService }: Needs) => {
  let token: { text: string; renewAt: number } | null = null;
  const request = createPlatformFetch({ clock, name: 'Microsoft', limits });

  const renew = async (signal: AbortSignal): Promise<string> => {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: appId,
      client_secret: secret,
      scope,
    });
    const { status, text } = await request(new URL(`${url || login}/${tenant}/oauth2/v2.0/token`), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
      signal,
    });
    if (status === 400 || status === 401)
      throw new PlatformError('key', 'Microsoft refuses the app: check its id, its secret and the tenant.');
    const { data } = granted.safeParse(jsonOf(text));
    if (!data) throw new PlatformError('network', `Microsoft gave no token (HTTP ${status})`);
    token = { text: data.access_token, renewAt: clock.now() + data.expires_in * 1_000 - renewMs };
    return data.access_token;
  };
  const tokenFor = async (signal: AbortSignal): Promise<string> =>
    token !== null && clock.now() < token.renewAt ? token.text : renew(signal);

  const document = async (to: URL): Promise<unknown> => {
    const { status, text } = await request(to, { signal: new AbortController().signal });
    if (status !== 200)
      throw new PlatformError('network', `Microsoft's keys cannot be read (HTTP ${status})`);
    return jsonOf(text);
  };

  return {
    tokenFor,
    call: async (
      serviceUrl: string,
      path: string,
      { method, body, signal }: { method: string; body: object; signal: AbortSignal },
    ): Promise<unknown> => {
      const to = new URL(serviceUrl.replace(/\/*$/, path));
      // It was allowed when the message came; the list may be another one now.
      if (!isService(to)) throw new PlatformError('refused', 'This service is not one of Teams');
      const attempt = async () =>
        request(to, {
          method,
          headers: {
            authorization: `Bearer ${await tokenFor(signal)}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify(body),
          signal,
        });
      let answer = await attempt();
      // The token has ended early.
      if (answer.status === 401) {
        token = null;
        answer = await attempt();
      }
      if (answer.status >= 400) throw toError(answer.status);
      return jsonOf(answer.text);
    },
    /** The JWKS of the Bot Framework. */
    keys: async (): Promise<unknown> => {
      const about = await document(new URL(`${url || openId}/v1/.well-known/openidconfiguration`));
      return document(new URL(configuration.parse(about).jwks_uri));
    },
  };
};
