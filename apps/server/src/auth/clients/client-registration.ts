import { clientLimits, type ClientRequest } from '@drawbridge/contracts/clients';
import { z } from 'zod';
import { visible } from '@drawbridge/kit';
import { hasWildcard, isKnownProgram } from './redirects.ts';

/** A person decides by the name: what hides or turns around would make it look like another. */
const isVisible = (name: string): boolean => visible(name) === name;

const redirectUri = z
  .string()
  .max(clientLimits.redirectUriLength)
  .refine((text) => !hasWildcard(text), 'has a *; each address is registered as it stands');

/** RFC 7591, as far as a client of ours needs it; what else it says of itself is not kept. */
const registration = z.object({
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(clientLimits.nameLength)
    .refine(isVisible, 'has invisible characters, or some that change the direction of the text')
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
 * error.
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
