import rateLimit from '@fastify/rate-limit';
import type { Clock } from '@drawbridge/kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from '../errors.ts';
import type { LimitsConfig } from './config-schema.ts';
import { createNameLimit, type NameLimit } from './name-limit.ts';
import { createQuota } from './quota.ts';
import { createUnread } from './unread/unread.ts';

/** Counts one attempt and throws `tooManyRequests`, with `Retry-After`, when there were too many. */
export interface Limit {
  count(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** The same without counting: for limits on failures alone. */
  check(request: FastifyRequest, reply: FastifyReply): Promise<void>;
}

/** The same for a name that the request itself does not carry, wherever it comes from. */
export interface NamedLimit extends NameLimit {
  count(reply: FastifyReply, name: string): void;
}

const minuteMs = 60_000;
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

interface LimitsNeeds {
  clock: Clock;
  config: LimitsConfig;
}

const refuse = (reply: FastifyReply, retryAfterSeconds: number): never => {
  reply.header('retry-after', String(retryAfterSeconds));
  throw errors.tooManyRequests();
};

/** Per address in a minute; an IPv6 network of 64 bits and an IPv4 address in IPv6 form count as one. */
export const createLimits = async (app: FastifyInstance, { clock, config }: LimitsNeeds) => {
  await app.register(rateLimit, { global: false });

  const limit = (max: number, keyGenerator?: (request: FastifyRequest) => string): Limit => {
    const apply = app.createRateLimit({
      max,
      timeWindow: minuteMs,
      ...(keyGenerator ? { keyGenerator } : {}),
    });
    const limitHook = (increment: boolean) => async (request: FastifyRequest, reply: FastifyReply) => {
      const state = await apply(request, { increment });
      if (!state.isAllowed && state.isExceeded) refuse(reply, state.ttlInSeconds);
    };
    return { count: limitHook(true), check: limitHook(false) };
  };

  const named = (max: number): NamedLimit => {
    const { use } = createNameLimit({ clock, max });
    return {
      use,
      count: (reply, name) => {
        const retryAfterSeconds = use(name);
        if (retryAfterSeconds !== null) refuse(reply, retryAfterSeconds);
      },
    };
  };

  return {
    signIn: limit(config.signInPerMinute),
    /** Failed sign-ins for one e-mail address, wherever they come from. */
    account: limit(config.signInPerMinute, accountOf),
    /** Password changes of one person. */
    password: named(config.signInPerMinute),
    setup: limit(config.setupPerMinute),
    pairing: limit(config.pairingPerMinute),
    /** Uses of one access token, or of one person's client whichever token it has. */
    bearer: named(config.tokenPerMinute),
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
    session: limit(sessionPerMinute),
    notFound: limit(config.notFoundPerMinute),
    /** Steps of connecting a client by OAuth: many people's clients come from one address. */
    oauth: limit(oauthPerMinute),
    /** Clients that register themselves. */
    registration: limit(registrationPerMinute),
  };
};

export type Limits = Awaited<ReturnType<typeof createLimits>>;
