import { consentReply, type ConsentBody } from '@drawbridge/contracts/clients';
import type { ErrorBody } from '@drawbridge/contracts/errors';
import { unreachable, type Failure } from './failure.ts';
import { postJson } from './post-json.ts';

type Reply = { ok: true; url: string } | { ok: false; failure: Failure };

/** Sends the person's answer to a client that wants to connect; gives the address where the browser goes. Never throws. */
export const answerConsent = async (body: ConsentBody): Promise<Reply> => {
  const response = await postJson('/api/auth/oauth2/consent', body);
  if (response === null) return { ok: false, failure: unreachable };
  if (response.ok) return { ok: true, url: consentReply.parse(await response.json()).url };
  // The server's own errors have this shape.
  const { code, message, fix } = (await response.json()) as ErrorBody;
  return { ok: false, failure: { code, message, fix: fix ?? null } };
};
