import { createPerMinute, type Clock, type PerMinute } from '@drawbridge/kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { errors } from '../../errors.ts';
import type { LimitsConfig } from '../config-schema.ts';
import { createQuota } from './quota.ts';
import { createUnread } from '../unread/unread.ts';
import { createUses, type SharedCount, type Uses } from './uses.ts';

/** Counts one attempt and throws `tooManyRequests`, with `Retry-After`, when there were too many. */
export interface Limit {
  count(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The same without counting: for limits on failures alone. */
  check(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The same for a name that the request itself does not carry, wherever it comes from. */
export interface NamedLimit {
  count(reply: FastifyReply, name: string): Promise<void>;
}

/** On each request, so that it never waits: counts of this server alone. */
export interface OwnLimit extends Pick<PerMinute, 'use'> {
  count(reply: FastifyReply, name: string): void;
}

const sessionPerMinute = 600;
/** More than a user's open calls: requests that follow a call or a stream add to them. */
const openExchanges = 300;
const oauthPerMinute = 600;
const registrationPerMinute = 20;

const accountOf = (request: FastifyRequest): string => {
  const { body } = request;
  const email = typeof body === 'object' && body !== null && 'email' in body ? body.email : undefined;
  return typeof email === 'string' ? email.trim().toLowerCase().slice(0, 254) : '';
};

const hex = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');

/** An IPv6 network of 64 bits and an IPv4 address in IPv6 form count as one. */
export const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address.toLowerCase();
  const ip = ipaddr.process(address);
  return ip instanceof ipaddr.IPv4 ? ip.toString() : `${hex(ip.parts.slice(0, 4))}::/64`;
};

interface LimitsNeeds {
  clock: Clock;
  config: LimitsConfig;
  /** Counts of all servers of the store; null for a server that is alone. */
  shared: SharedCount | null;
}

const refuse = (reply: FastifyReply, retryAfterSeconds: number): never => {
  reply.header('retry-after', String(retryAfterSeconds));
  throw errors.tooManyRequests();
};

const own = (uses: PerMinute): OwnLimit => ({
  use: uses.use,
  count: (reply, name) => {
    const retryAfterSeconds = uses.use(name);
    if (retryAfterSeconds !== null) refuse(reply, retryAfterSeconds);
  },
});

/** Throws `cancelled` for a client that has left: its address is not known any more. */
const clientOf = ({ ip, socket }: FastifyRequest): string => {
  if (socket.remoteAddress === undefined) throw errors.cancelled();
  return networkOf(ip);
};

const byRequest = (uses: Uses, keyOf = clientOf): Limit => {
  const limited = (how: keyof Uses) => async (request: FastifyRequest, reply: FastifyReply) => {
    const retryAfterSeconds = await uses[how](keyOf(request));
    if (retryAfterSeconds !== null) refuse(reply, retryAfterSeconds);
  };
  return { count: limited('use'), check: limited('check') };
};

const byName = ({ use }: Uses): NamedLimit => ({
  count: async (reply, name) => {
    const retryAfterSeconds = await use(name);
    if (retryAfterSeconds !== null) refuse(reply, retryAfterSeconds);
  },
});

/**
 * Per address in a minute, where nothing else is said. What protects from guessing counts for all servers of
 * the store together, what protects a process for this one.
 */
export const createLimits = ({ clock, config, shared }: LimitsNeeds) => {
  const ofAll = (name: string, max: number) => createUses({ clock, name, max, shared });
  const ofThis = (name: string, max: number) => createUses({ clock, name, max, shared: null });

  return {
    signIn: byRequest(ofAll('signIn', config.signInPerMinute)),
    /** Failed sign-ins for one e-mail address, wherever they come from. */
    account: byRequest(ofAll('account', config.signInPerMinute), accountOf),
    /** Password changes of one person. */
    password: byName(ofAll('password', config.signInPerMinute)),
    setup: byRequest(ofAll('setup', config.setupPerMinute)),
    pairing: byRequest(ofAll('pairing', config.pairingPerMinute)),
    /** Uses of one access token, or of one person's client whichever token it has. */
    bearer: own(createPerMinute({ clock, max: config.tokenPerMinute })),
    /** Requests with one access token, or of one person's client, that wait for their answer. */
    exchanges: createQuota(openExchanges),
    /** What waits unread for each person, over all doors. */
    unread: createUnread({
      clock,
      limits: { perPerson: config.unreadPerUserBytes, inAll: config.unreadBytes },
    }),
    /**
     * Invalid session keys and access tokens: machines behind one address share it and reconnect together.
     */
    session: byRequest(ofAll('session', sessionPerMinute)),
    notFound: byRequest(ofThis('notFound', config.notFoundPerMinute)),
    /** Steps of connecting a client by OAuth: many people's clients come from one address. */
    oauth: byRequest(ofThis('oauth', oauthPerMinute)),
    /** Clients that register themselves. */
    registration: byRequest(ofAll('registration', registrationPerMinute)),
  };
};

export type Limits = ReturnType<typeof createLimits>;
