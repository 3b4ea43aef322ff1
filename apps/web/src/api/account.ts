import { unreachable, type Failure } from './failure.ts';
import { postJson } from './post-json.ts';

interface Credentials {
  email: string;
  password: string;
}

interface PasswordChange {
  currentPassword: string;
  newPassword: string;
  /** Whether all else ends that is signed in or connected as this person. */
  revokeOtherSessions: boolean;
}

type Reply = { ok: true } | { ok: false; failure: Failure };

const badRequest: Failure = {
  code: 'BAD_REQUEST',
  message: 'The server refused this',
  fix: 'Check what you typed.',
};
const refused: Record<number, Failure> = {
  403: {
    code: 'FORBIDDEN',
    message: 'This request came from another address',
    fix: 'Open the panel at the address in PUBLIC_URL.',
  },
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many attempts', fix: 'Wait a minute and try again.' },
};

/** `own` are the refusals of this one path, by their status. */
const post = async (path: string, body: object, own: Record<number, Failure>): Promise<Reply> => {
  const response = await postJson(path, body);
  if (response === null) return { ok: false, failure: unreachable };
  if (response.ok) return { ok: true };
  return { ok: false, failure: own[response.status] ?? refused[response.status] ?? badRequest };
};

/** Opens a session: the server sets its cookie. Never throws. */
export const signIn = (credentials: Credentials): Promise<Reply> =>
  post('/api/auth/sign-in/email', credentials, {
    401: {
      code: 'UNAUTHORIZED',
      message: 'This e-mail address and password do not belong together',
      fix: 'Check both and try again.',
    },
  });

/** Ends the session. Never throws. */
export const signOut = (): Promise<Reply> => post('/api/auth/sign-out', {}, {});

export const wrongPassword: Failure = {
  code: 'INVALID_PASSWORD',
  message: 'This is not your current password',
  fix: null,
};

/** Changes the password of whoever is signed in; `wrongPassword` where the current one is another. Never throws. */
export const changePassword = (change: PasswordChange): Promise<Reply> =>
  post('/api/auth/change-password', change, {
    // What else it refuses so, the form does not send.
    400: wrongPassword,
    401: { code: 'UNAUTHORIZED', message: 'You are not signed in any more', fix: 'Sign in and try again.' },
  });
