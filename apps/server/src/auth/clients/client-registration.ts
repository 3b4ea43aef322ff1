import { clientLimits, type ClientRequest } from '@drawbridge/contracts/clients';
import { z } from 'zod';
import { isKnownProgram } from './redirects.ts';

/** What hides, turns around or breaks a line: a name is shown to a person who decides by it. */
const hidden = /[\p{C}\p{Zl}\p{Zp}]/gu;

export const visibleName = (name: string): string => name.replaceAll(hidden, '').trim();

const redirectUri = z.string().max(clientLimits.redirectUriLength);

/** RFC 7591, as far as a client of ours needs it; what else it says of itself is not kept. */
const registration = z.object({
  client_name: z
    .string()
    .transform(visibleName)
    .pipe(z.string().min(1).max(clientLimits.nameLength))
    .optional(),
  redirect_uris: z.array(redirectUri).min(1).max(clientLimits.redirectUris),
  grant_types: z.array(z.string().max(100)).max(10).optional(),
  response_types: z.array(z.string().max(100)).max(10).optional(),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']).optional(),
  scope: z.string().max(1_000).optional(),
});

const grantTypes = new Set(['authorization_code', 'refresh_token']);
const isSite = (redirect: string) => redirect.startsWith('https://');

/** Stands in for addresses that the account library does not take, until they are put in its place. */
const standIn = 'http://127.0.0.1/';

/**
 * Reads a registration: the request to the account library, and the client's redirect addresses. Throws zod's
 * error; `clientRequest.name` shows the cleaned name.
 */
export const readRegistration = (body: unknown) => {
  const { client_name, grant_types, redirect_uris: redirectUris, ...rest } = registration.parse(body);
  const name: ClientRequest['name'] | undefined = client_name;
  const judged = redirectUris.filter((one) => !isKnownProgram(one));
  const asked = {
    ...rest,
    ...(name === undefined ? {} : { client_name: name }),
    redirect_uris: judged.length === 0 ? [standIn] : judged,
    grant_types: grant_types?.filter((one) => grantTypes.has(one)) ?? [...grantTypes],
    // Programs on a person's machine seldom say that they are one.
    application_type: redirectUris.every(isSite) ? 'web' : 'native',
  };
  return { asked, redirectUris };
};
