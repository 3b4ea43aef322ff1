import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import type { ServiceReply } from '../outside/index.ts';

/** A token is renewed so long before its end. */
const renewMs = 5 * 60_000;

const granted = z.object({ access_token: z.string().min(1), expires_in: z.number().positive() });
const refused = z.object({ error: z.string() });

/** Google does not accept the key. `reason`: its own word for why. */
export class GrantRefused extends Error {
  readonly reason: string | null;
  constructor(message: string, reason: string | null = null) {
    super(message);
    this.reason = reason;
  }
}

interface Needs {
  clock: Clock;
  /** What a new token is asked for by. */
  form(): Promise<URLSearchParams>;
  /** Posts a form to Google's address for tokens. */
  post(form: URLSearchParams, signal: AbortSignal): Promise<ServiceReply>;
}

/** An access token, renewed before it ends. Throws `GrantRefused`, and what `form` and `post` throw. */
export const createAccessToken = ({ clock, form, post }: Needs) => {
  let token: { text: string; renewAt: number } | null = null;

  const renew = async (signal: AbortSignal): Promise<string> => {
    const answer = await post(await form(), signal);
    const given = jsonOf(answer.text);
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429)
      throw new GrantRefused(`HTTP ${answer.status}`, refused.safeParse(given).data?.error ?? null);
    const { data } = granted.safeParse(given);
    if (!data) throw new Error('no token was given');
    token = { text: data.access_token, renewAt: clock.now() + data.expires_in * 1_000 - renewMs };
    return data.access_token;
  };

  return {
    token: (signal: AbortSignal): Promise<string> =>
      token !== null && clock.now() < token.renewAt ? Promise.resolve(token.text) : renew(signal),
    /** It was not accepted: the next one is another. */
    forget: (): void => {
      token = null;
    },
  };
};

type AccessToken = ReturnType<typeof createAccessToken>;

/** Asks with an access token, and once more with a new one where that was revoked before its time (401). */
export const askWithToken = async (
  { token, forget }: AccessToken,
  signal: AbortSignal,
  ask: (token: string) => Promise<ServiceReply>,
): Promise<ServiceReply> => {
  const answer = await ask(await token(signal));
  if (answer.status !== 401) return answer;
  forget();
  return ask(await token(signal));
};
