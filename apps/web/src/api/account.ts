import type { ConsentBody } from '@drawbridge/contracts/clients';
import { requireTextIn, unreachable, type Failure } from './failure.ts';
import { refusalOf, send } from './http.ts';
import { sessionProof } from './session-proof.ts';
import type { Api } from './trpc.ts';

interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  /** Whether all other sessions, tokens, clients and machines of the user end. */
  revokeOtherSessions: boolean;
}

type Reply<Value = object> = ({ ok: true } & Value) | { ok: false; failure: Failure };

const badRequest: Failure = {
  code: 'BAD_REQUEST',
  message: 'The server rejected this request',
  fix: 'Check the form.',
};
const refusals: Record<number, Failure> = {
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many attempts', fix: 'Wait a minute and try again.' },
};

/** Posts to a route that is not a procedure; null if the server does not answer or fails. Never throws. */
const postJson = async (path: string, body: object): Promise<Response | null> => {
  const response = await send(path, { method: 'POST', body }).catch(() => null);
  return response === null || response.status >= 500 ? null : response;
};

/** Posts to a route of the account library; `own` are the refusals of this route, by status. */
const post = async (
  path: string,
  body: object,
  own: Record<number, Failure> = {},
): Promise<Reply<{ response: Response }>> => {
  const response = await postJson(path, body);
  if (response === null) return { ok: false, failure: unreachable };
  if (response.ok) return { ok: true, response };
  if (response.status === 403) return { ok: false, failure: await refusalOf(response) };
  return { ok: false, failure: own[response.status] ?? refusals[response.status] ?? badRequest };
};

/** Opens a session: the server sets its cookie, and the panel stores its proof. Never throws. */
export const signIn = async (credentials: { email: string; password: string }): Promise<Reply> => {
  const reply = await post('/api/auth/sign-in/email', credentials, {
    401: { code: 'UNAUTHORIZED', message: 'Wrong e-mail or password.', fix: 'Check both and try again.' },
    423: {
      code: 'ACCOUNT_DISABLED',
      message: 'This account is disabled',
      fix: 'Ask the owner of this server.',
    },
  });
  if (reply.ok) sessionProof.write(requireTextIn(await reply.response.json(), 'sessionProof'));
  return reply;
};

const alreadyEnded: Failure = { code: 'UNAUTHORIZED', message: 'The session has ended', fix: null };

/** Ends the session. Never throws. */
export const signOut = async (): Promise<Reply> => {
  const reply = await post('/api/auth/sign-out', {}, { 401: alreadyEnded });
  if (!reply.ok && reply.failure !== alreadyEnded) return reply;
  sessionProof.write(null);
  return { ok: true };
};

export const wrongPassword: Failure = {
  code: 'INVALID_PASSWORD',
  message: 'Wrong current password',
  fix: null,
};

let changing: Promise<unknown> = Promise.resolve();

/** Who is signed in; null for no one. While a password is changed the old session may have ended already. */
export const readUser = async (api: Pick<Api, 'account'>) => {
  await changing;
  return api.account.me.query();
};

const sendPassword = async (change: PasswordChange): Promise<Reply> => {
  const reply = await post('/api/auth/change-password', change, {
    // The form excludes all other reasons for a 400.
    400: wrongPassword,
    401: { code: 'UNAUTHORIZED', message: 'Your session has ended', fix: 'Sign in and try again.' },
  });
  if (reply.ok) sessionProof.write(requireTextIn(await reply.response.json(), 'sessionProof'));
  return reply;
};

/** Changes the user's password; fails with `wrongPassword` if the current one differs. Never throws. */
export const changePassword = (change: PasswordChange): Promise<Reply> => {
  const reply = sendPassword(change);
  changing = reply.catch(() => null);
  return reply;
};

/** Answers a client's request for consent; resolves to the redirect address. Never throws. */
export const answerConsent = async (body: ConsentBody): Promise<Reply<{ url: string }>> => {
  const response = await postJson('/api/auth/oauth2/consent', body);
  if (response === null) return { ok: false, failure: unreachable };
  if (response.ok) return { ok: true, url: requireTextIn(await response.json(), 'url') };
  return { ok: false, failure: await refusalOf(response) };
};
