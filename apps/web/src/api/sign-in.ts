import { unreachable, type Failure } from './failure.ts';

interface Credentials {
  email: string;
  password: string;
}

type Reply = { ok: true } | { ok: false; failure: Failure };

const refused: Record<number, Failure> = {
  401: {
    code: 'UNAUTHORIZED',
    message: 'This e-mail address and password do not belong together',
    fix: 'Check both and try again.',
  },
  403: {
    code: 'FORBIDDEN',
    message: 'This request came from another address',
    fix: 'Open the panel at the address in PUBLIC_URL.',
  },
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many attempts', fix: 'Wait a minute and try again.' },
};

const post = async (path: string, body: object): Promise<Reply> => {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    credentials: 'same-origin',
  }).catch(() => null);
  if (response === null || response.status >= 500) return { ok: false, failure: unreachable };
  if (response.ok) return { ok: true };
  const failure = refused[response.status] ?? {
    code: 'BAD_REQUEST',
    message: 'The server refused this',
    fix: 'Check what you typed.',
  };
  return { ok: false, failure };
};

/** Opens a session: the server sets its cookie. Never throws. */
export const signIn = (credentials: Credentials): Promise<Reply> =>
  post('/api/auth/sign-in/email', credentials);

/** Ends the session. Never throws. */
export const signOut = (): Promise<Reply> => post('/api/auth/sign-out', {});
