import { jsonOf, type Clock } from '@drawbridge/kit';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import type { ServiceReply } from '../outside/index.ts';

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const algorithm = 'RS256';
const assertionSeconds = 3_600;
/** A token is renewed so long before its end. */
const renewMs = 5 * 60_000;

const key = z.object({
  type: z.literal('service_account'),
  client_email: z.email(),
  private_key: z.string().startsWith('-----BEGIN PRIVATE KEY-----'),
  private_key_id: z.string(),
});
const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });

interface Needs {
  clock: Clock;
  /** The JSON of the key, as Google Cloud gives it. */
  json: string;
  scopes: readonly string[];
  /** Where the assertion goes: an address in the key does not count. */
  audience: string;
  /** Posts a form there. */
  post(form: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
}

/** Google does not accept the key. */
export class GrantRefused extends Error {}

/** A service account of Google. Throws `GrantRefused`, and what `post` throws. */
export const createServiceAccount = ({ clock, json, scopes, audience, post }: Needs) => {
  let token: { text: string; renewAt: number } | null = null;
  const own = key.safeParse(jsonOf(json)).data;

  const renew = async (signal: AbortSignal): Promise<string> => {
    if (!own) throw new GrantRefused('this is no key of a service account');
    const now = Math.floor(clock.now() / 1_000);
    const privateKey = await importPKCS8(own.private_key, algorithm).catch(() => {
      throw new GrantRefused('the private key cannot be read');
    });
    const assertion = await new SignJWT({ scope: scopes.join(' ') })
      .setProtectedHeader({ alg: algorithm, kid: own.private_key_id })
      .setIssuer(own.client_email)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(privateKey);
    const answer = await post(new URLSearchParams({ grant_type: grant, assertion }), signal);
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429)
      throw new GrantRefused(`HTTP ${answer.status}`);
    const { data } = granted.safeParse(jsonOf(answer.text));
    if (!data) throw new Error('no token was given');
    token = { text: data.access_token, renewAt: clock.now() + data.expires_in * 1_000 - renewMs };
    return data.access_token;
  };

  return {
    email: own?.client_email ?? null,
    token: (signal: AbortSignal): Promise<string> =>
      token !== null && clock.now() < token.renewAt ? Promise.resolve(token.text) : renew(signal),
    /** It was not accepted: the next one is another. */
    forget: (): void => {
      token = null;
    },
  };
};
