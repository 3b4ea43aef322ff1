import { passwordChanged, signedIn } from '@drawbridge/contracts/accounts';
import { unreachable, type Failure } from './failure.ts';
import { postJson } from './post-json.ts';
import { sessionProof } from './session-proof.ts';

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
  message: 'The server rejected this request',
  fix: 'Check the form.',
};
const refused: Record<number, Failure> = {
  403: {
    code: 'FORBIDDEN',
    message: 'This request came from another address',
    fix: 'Open the panel at the address in PUBLIC_URL.',
  },
  429: { code: 'TOO_MANY_REQUESTS', message: 'Too many attempts', fix: 'Wait a minute and try again.' },
};

interface Post {
  body: object;
  /** The refusals of this one path, by their status. */
  own: Record<number, Failure>;
  /** Takes the answer, as JSON. */
  take?(answer: unknown): void;
}

const post = async (path: string, { body, own, take }: Post): Promise<Reply> => {
  const response = await postJson(path, body);
  if (response === null) return { ok: false, failure: unreachable };
  if (response.ok) {
    take?.(await response.json());
    return { ok: true };
  }
  return { ok: false, failure: own[response.status] ?? refused[response.status] ?? badRequest };
};

/** Opens a session: the server sets its cookie, and its proof is kept here. Never throws. */
export const signIn = (credentials: Credentials): Promise<Reply> =>
  post('/api/auth/sign-in/email', {
    body: credentials,
    own: {
      401: {
        code: 'UNAUTHORIZED',
        message: 'Wrong e-mail or password.',
        fix: 'Check both and try again.',
      },
      423: {
        code: 'ACCOUNT_DISABLED',
        message: 'This account is disabled',
        fix: 'Ask the owner of this server.',
      },
    },
    take: (answer) => sessionProof.keep(signedIn.parse(answer).sessionProof),
  });

/** Ends the session. Never throws. */
export const signOut = async (): Promise<Reply> => {
  const response = await postJson('/api/auth/sign-out', {});
  if (response === null) return { ok: false, failure: unreachable };
  // 401: it had ended before.
  if (!response.ok && response.status !== 401) {
    return { ok: false, failure: refused[response.status] ?? badRequest };
  }
  sessionProof.forget();
  return { ok: true };
};

export const wrongPassword: Failure = {
  code: 'INVALID_PASSWORD',
  message: 'Wrong current password',
  fix: null,
};

/** Changes the password of the signed-in person; `wrongPassword` where the current one is another. Never throws. */
export const changePassword = (change: PasswordChange): Promise<Reply> =>
  post('/api/auth/change-password', {
    body: change,
    own: {
      // What else it refuses so, the form does not send.
      400: wrongPassword,
      401: { code: 'UNAUTHORIZED', message: 'Your session has ended', fix: 'Sign in and try again.' },
    },
    take: (answer) => sessionProof.keep(passwordChanged.parse(answer).sessionProof),
  });
