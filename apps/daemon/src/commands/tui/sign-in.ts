import { sessionProofHeader, signedIn } from '@drawbridge/contracts/accounts';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { Dropped, type Credential } from './socket.ts';

const ticketReply = z.object({ ticket: z.string() });

const cookiesOf = (response: Response): string =>
  response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');

/** A session of the person in the memory of this process. Rejects with `refused`. */
export const signIn = async (server: URL, account: { email: string; password: string }) => {
  const at = (path: string) => new URL(path, server.href.replace(/\/?$/, '/'));
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(at(path), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      redirect: 'error',
    });
  const response = await post('api/auth/sign-in/email', account);
  if (!response.ok) throw errors.refused({ message: 'Wrong e-mail or password' });
  const { sessionProof } = signedIn.parse(await response.json());
  const headers = { cookie: cookiesOf(response), [sessionProofHeader]: sessionProof };
  return {
    /** A new ticket for one socket. */
    credential: async (): Promise<Credential> => {
      const got = await fetch(at('rpc/ticket'), { method: 'POST', headers }).catch(() => null);
      if (got?.status === 401) throw errors.refused({ message: 'The session has ended' });
      if (!got?.ok) throw new Dropped();
      return { kind: 'ticket', ticket: ticketReply.parse(await got.json()).ticket };
    },
    signOut: async () => void (await post('api/auth/sign-out', {}, headers).catch(() => null)),
  };
};
