import { rpcLimits, ticketSubprotocol } from '@drawbridge/contracts/rpc/protocol';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  verifyBearer,
  type AccessControl,
  type Accounts,
  type Tailnet,
  type Tickets,
} from '../../auth/index.ts';
import { errors } from '../../errors.ts';
import { bearerOf, createQuota, type Limits } from '../../http/index.ts';
import { personIdentity, tailnetIdentity, tokenIdentity, type Identity } from './identity.ts';

interface Needs {
  access: AccessControl;
  accounts: Accounts;
  tickets: Tickets;
}

/** How the clients of a port say who they are. */
export interface Entrance {
  /** Throws `unauthorized`. */
  identify(request: FastifyRequest): Promise<Identity>;
  /** The number of a refused request: it has no credential, or one that does not hold. */
  refusalNumber(request: FastifyRequest): -4 | -5;
}

/** The ticket among the subprotocols that a client offers; null for none. */
const ticketOf = ({ headers }: FastifyRequest): string | null => {
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  const found = offered.find((name) => name.startsWith(ticketSubprotocol));
  return found === undefined ? null : found.slice(ticketSubprotocol.length);
};

/** Whether a credential of this door came. */
const isGiven = (request: FastifyRequest): boolean =>
  request.headers.authorization !== undefined || ticketOf(request) !== null;

const twoCredentials = () =>
  errors.unauthorized({ message: 'Two credentials came with one request', fix: 'Send one of them.' });

const badTicket = () =>
  errors.unauthorized({ message: 'This ticket was used, or has expired', fix: 'Request a new one.' });

const identify = async ({ access, accounts, tickets }: Needs, request: FastifyRequest): Promise<Identity> => {
  const ticket = ticketOf(request);
  if (ticket !== null && request.headers.authorization !== undefined) throw twoCredentials();
  if (ticket !== null) {
    const session = await tickets.redeem(ticket);
    if (!session) throw badTicket();
    return personIdentity(session);
  }
  const bearer = bearerOf(request);
  const verified = await verifyBearer({ access }, bearer, request.ip);
  if (verified.kind === 'refused') throw verified.error;
  const { access: granted } = verified;
  return tokenIdentity(granted, bearer ?? '', granted.userId === (await accounts.ownerId()));
};

/** A token in the header, or a ticket of a page. */
export const byCredential = (needs: Needs): Entrance => ({
  identify: (request) => identify(needs, request),
  refusalNumber: (request) => (isGiven(request) ? -5 : -4),
});

/** The other end of the connection, which tailscaled knows. */
export const byTailnet = (tailnet: Tailnet): Entrance => ({
  identify: async (request) => tailnetIdentity(await tailnet(request)),
  refusalNumber: () => -5,
});

/** Bounds the open sockets of the server, of a person and of a token. */
const createPlaces = () => {
  const all = createQuota(rpcLimits.sockets);
  const ofPerson = createQuota(rpcLimits.socketsPerPerson);
  const ofPrincipal = createQuota(rpcLimits.socketsPerPrincipal);
  return {
    acquire: () => all.acquire('all'),
    acquireFor: ({ userId, principal }: Identity) => {
      const release = ofPerson.acquire(userId);
      try {
        const releasePrincipal = ofPrincipal.acquire(principal);
        return () => {
          release();
          releasePrincipal();
        };
      } catch (error) {
        release();
        throw error;
      }
    },
  };
};

/**
 * Finds out who opens a socket, before it is one. Throws `unauthorized`; `tooManyRequests` for too many
 * failures of an address, and for too many open sockets.
 */
export const createAuthenticate = ({ session }: Pick<Limits, 'session'>) => {
  const places = createPlaces();
  return async (
    { identify: identifyBy, refusalNumber }: Entrance,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Identity> => {
    const { socket } = request.raw;
    socket.once('close', places.acquire());
    try {
      const identity = await identifyBy(request);
      socket.once('close', places.acquireFor(identity));
      // The client left meanwhile: its `close` has passed.
      if (socket.destroyed) socket.emit('close');
      return identity;
    } catch (error) {
      if (refusalNumber(request) === -5) await session.count(request, reply);
      throw error;
    }
  };
};
