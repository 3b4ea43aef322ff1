import type { User } from '@drawbridge/contracts/accounts';
import type { TokenScope } from '@drawbridge/contracts/tokens';
import type { Clock } from '@drawbridge/kit';
import type { FastifyRequest } from 'fastify';
import { errors } from '../../errors.ts';
import type { Tailscaled } from './tailscaled.ts';

/** How long an answer of tailscaled counts for an open connection. */
const recheckMs = 60_000;

/** A user of the tailnet with an account here: less than the person who is signed in. */
export interface TailnetAccess {
  userId: string;
  /** Of the tailnet, in lower case. */
  login: string;
  scopes: readonly TokenScope[];
  /** Whether the account and the identity of the connection still hold. Never throws. */
  holds(): Promise<boolean>;
}

interface Needs {
  tailscaled: Tailscaled;
  clock: Clock;
  /** Account e-mail addresses by login, both in lower case; other logins are refused. */
  users: ReadonlyMap<string, string>;
  scopes: readonly TokenScope[];
  /** The account with that e-mail address; null without one. */
  byEmail(email: string): Promise<User | null>;
  isEnabled(userId: string): Promise<boolean>;
  onError(error: unknown): void;
}

const refusal = (message: string, fix?: string) => errors.unauthorized({ message, ...(fix && { fix }) });

/** Headers of a proxy: behind one, the other end of the connection is not the client. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'tailscale-funnel-request'];

/** Identifies who connects through the tailnet, by the other end of the TCP connection. */
export const createTailnet = (needs: Needs) => {
  const { tailscaled, clock, users, scopes, byEmail, isEnabled, onError } = needs;

  /** The login of a user's device; null for tagged nodes, this machine itself, and other addresses. */
  const loginOf = async (address: string, port: number): Promise<string | null> => {
    const [node, ownId] = await Promise.all([tailscaled.whoIs(address, port), tailscaled.ownId()]);
    // Any program on this machine has the identity of its node.
    if (node === null || ownId === null || node.id === ownId) return null;
    return node.login?.toLowerCase() ?? null;
  };

  /** Throws `unauthorized` for users who are not listed, and while tailscaled does not answer. */
  return async ({ headers, socket }: FastifyRequest): Promise<TailnetAccess> => {
    if (headers.authorization !== undefined)
      throw refusal('No access token is accepted at this port', 'Use the main port of the server.');
    if (proxyHeaders.some((name) => headers[name] !== undefined))
      throw refusal('This port does not work behind a proxy', 'Connect to it directly.');
    const { remoteAddress: address, remotePort: port } = socket;
    if (address === undefined || port === undefined) throw refusal('The connection has ended');

    const login = await loginOf(address, port).catch((error: unknown) => {
      onError(error);
      throw refusal('Tailscale on the server does not answer');
    });
    if (login === null) throw refusal("This is no user's device in the tailnet of the server");
    const claimed = headers['tailscale-user-login'];
    if (claimed !== undefined && String(claimed).toLowerCase() !== login)
      throw refusal('Tailscale-User-Login names someone else');
    const email = users.get(login);
    const user = email === undefined ? null : await byEmail(email);
    if (!user || !(await isEnabled(user.id)))
      throw refusal('This Tailscale user has no access', 'TAILSCALE_USERS lists those who have.');

    let checkedAt = clock.now();
    const isStillTheirs = async () => {
      if (clock.now() - checkedAt < recheckMs) return true;
      if ((await loginOf(address, port)) !== login) return false;
      checkedAt = clock.now();
      return true;
    };
    return {
      userId: user.id,
      login,
      scopes,
      holds: async () => {
        try {
          return (await isStillTheirs()) && (await isEnabled(user.id));
        } catch (error) {
          onError(error);
          return false;
        }
      },
    };
  };
};

export type Tailnet = ReturnType<typeof createTailnet>;
