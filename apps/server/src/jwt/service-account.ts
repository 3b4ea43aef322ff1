import { jsonOf, type Clock } from '@drawbridge/kit';
import { importPKCS8, SignJWT } from 'jose';
import { z } from 'zod';
import type { ServiceReply } from '../outside/index.ts';
import { createAccessToken, GrantRefused } from './access-token.ts';

const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const algorithm = 'RS256';
const assertionSeconds = 3_600;

const key = z.object({
  type: z.literal('service_account'),
  client_email: z.email(),
  private_key: z.string().startsWith('-----BEGIN PRIVATE KEY-----'),
  private_key_id: z.string(),
});

interface Needs {
  clock: Clock;
  /** The JSON of the key, as Google Cloud gives it. */
  json: string;
  scopes: readonly string[];
  /** Whom it acts for, where its Workspace allows that. */
  subject?: string;
  /** Where the assertion goes: an address in the key does not count. */
  audience: string;
  /** Posts a form there. */
  post(form: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
}

/** A service account of Google. Throws `GrantRefused`, and what `post` throws. */
export const createServiceAccount = ({ clock, json, scopes, subject, audience, post }: Needs) => {
  const own = key.safeParse(jsonOf(json)).data;

  const form = async (): Promise<URLSearchParams> => {
    if (!own) throw new GrantRefused('this is no key of a service account');
    const now = Math.floor(clock.now() / 1_000);
    const privateKey = await importPKCS8(own.private_key, algorithm).catch(() => {
      throw new GrantRefused('the private key cannot be read');
    });
    const claims = { scope: scopes.join(' '), ...(subject !== undefined && { sub: subject }) };
    const assertion = await new SignJWT(claims)
      .setProtectedHeader({ alg: algorithm, kid: own.private_key_id })
      .setIssuer(own.client_email)
      .setAudience(audience)
      .setIssuedAt(now)
      .setExpirationTime(now + assertionSeconds)
      .sign(privateKey);
    return new URLSearchParams({ grant_type: grant, assertion });
  };

  return { email: own?.client_email ?? null, ...createAccessToken({ clock, form, post }) };
};
