import { z } from 'zod';
import { toolScope, toolScopes } from './groups.ts';
import { isoTime } from './ids.ts';
import { namedMachines } from './machines/summary.ts';

/** Sizes in characters, times in seconds, except where a name says otherwise. */
export const clientLimits = {
  nameLength: 100,
  redirectUris: 10,
  redirectUriLength: 2_000,
  /** Registered clients that no user has connected. */
  unconnected: 1_000,
  codeSeconds: 60,
  consentSeconds: 600,
  accessSeconds: 60 * 60,
  refreshSeconds: 30 * 24 * 60 * 60,
  /** How long a replaced refresh token gets the same answer again. */
  refreshAgainSeconds: 60,
  registrationBodyBytes: 16 * 1024,
} as const;

/** The scope of a refresh token. */
export const offlineScope = 'offline_access';

/**
 * The client on the consent page. It chooses its `name` itself; `host` is where the redirect goes. `goesTo`
 * is `app` for a program on the user's own machine.
 */
export const clientRequest = z.object({
  clientId: z.string(),
  name: z.string(),
  host: z.string(),
  /** Whether the name comes from a metadata document on the client's site, or from its own registration. */
  origin: z.enum(['document', 'registration']),
  goesTo: z.enum(['site', 'app']),
  /** The requested groups, in the order of `toolScopes`. */
  scopes: z.array(toolScope),
  staysConnected: z.boolean(),
  /** The e-mail address of the account that the client would get access to. */
  account: z.string(),
  /** Binds the page to the session that opened it; required for a yes. */
  openedBy: z.string(),
});
export type ClientRequest = z.infer<typeof clientRequest>;

/** The query with which the consent page was opened, without its question mark. */
export const clientRequestInput = z.strictObject({ query: z.string().min(1).max(8_192) });

/** The user's answer: the granted groups, a subset of the requested ones. */
export const consentBody = z.discriminatedUnion('accept', [
  z.strictObject({
    accept: z.literal(true),
    scopes: z.array(toolScope).min(1).max(toolScopes.length),
    /** Ids; left out, the client may use every machine, also later ones. */
    machines: namedMachines.optional(),
    query: z.string().min(1).max(8_192),
    openedBy: z.string().max(100),
  }),
  z.strictObject({ accept: z.literal(false), query: z.string().min(1).max(8_192) }),
]);
export type ConsentBody = z.infer<typeof consentBody>;
/** The redirect address. */
export const consentReply = z.object({ url: z.string() });

/** A connected client of the user. `lastUsedAt` is exact to the minute. */
export const connectedClient = z.object({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  origin: z.enum(['document', 'registration']),
  scopes: z.array(toolScope),
  /** The ids of the machines that it may use; absent: all. */
  machines: z.array(z.string()).optional(),
  connectedAt: isoTime,
  lastUsedAt: isoTime.nullable(),
  /** The address of its last request. */
  lastUsedFrom: z.string().nullable(),
});
export type ConnectedClient = z.infer<typeof connectedClient>;

export const clientIdInput = z.strictObject({ id: z.string().min(1).max(2_000) });
