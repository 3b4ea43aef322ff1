import { createHash } from 'node:crypto';
import type { ConsentOutcome } from '@drawbridge/contracts/outside/channels';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createTokenPost, googleAddress } from '../google-calls.ts';

/** Read the mailbox, and send in its name. */
export const gmailScopes = [
  'https://www.googleapis.com/auth/gmail.readonly',
  'https://www.googleapis.com/auth/gmail.send',
] as const;

const limits = { ms: 30_000, maxBytes: 64 * 1_024 };

interface Client {
  /** In place of Google's addresses; empty: those. */
  url: string;
  clientId: string;
  /** Where Google sends the browser back to. */
  redirect: string;
  /** Of PKCE, which this server keeps to itself. */
  verifier: string;
}

/** Google's page of consent for a mailbox. */
export const consentPage = ({ url, clientId, redirect, verifier }: Client, state: string): string => {
  const page = googleAddress(url, 'consent', '/o/oauth2/v2/auth');
  page.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirect,
    scope: gmailScopes.join(' '),
    // Without these two Google gives a token of an hour.
    access_type: 'offline',
    prompt: 'consent',
    state,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  return page.href;
};

const granted = z.object({ refresh_token: z.string().optional(), scope: z.string().default('') });
const refused = z.object({ error: z.string() });

const outcomes: Record<string, ConsentOutcome> = {
  invalid_grant: 'expired',
  invalid_client: 'client',
  unauthorized_client: 'client',
  redirect_uri_mismatch: 'address',
};
const outcomeOf = (reason: string): ConsentOutcome =>
  Object.hasOwn(outcomes, reason) ? (outcomes[reason] ?? 'failed') : 'failed';

interface Exchange extends Client {
  clock: Clock;
  clientSecret: string;
}

/** The refresh token that a code of the page is good for, or why it gives nothing. Throws `PlatformError`. */
export const exchangeCode = async (
  { clock, url, clientId, clientSecret, redirect, verifier }: Exchange,
  code: string,
  signal: AbortSignal,
): Promise<{ refreshToken: string } | { outcome: ConsentOutcome }> => {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirect,
    code_verifier: verifier,
  });
  const { status, text } = await createTokenPost({ clock, url, limits })(form, signal);
  const given = jsonOf(text);
  if (status >= 500) return { outcome: 'unreachable' };
  if (status !== 200) return { outcome: outcomeOf(refused.safeParse(given).data?.error ?? '') };
  const { data } = granted.safeParse(given);
  if (data === undefined) return { outcome: 'failed' };
  const scopes = data.scope.split(' ');
  // Each of them has a box of its own on the page.
  if (!gmailScopes.every((scope) => scopes.includes(scope))) return { outcome: 'scopes' };
  return data.refresh_token === undefined ? { outcome: 'token' } : { refreshToken: data.refresh_token };
};
