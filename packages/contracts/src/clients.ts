import { z } from 'zod';
import { toolGroup } from './groups.ts';
import { isoTime } from './ids.ts';
import { tokenScopes } from './tokens.ts';

/** Sizes in characters, times in seconds, except where a name says otherwise. */
export const clientLimits = {
  nameLength: 100,
  redirectUris: 10,
  redirectUriLength: 2_000,
  /** Clients that registered themselves and that nobody has connected. */
  unconnected: 1_000,
  codeSeconds: 60,
  consentSeconds: 600,
  accessSeconds: 60 * 60,
  refreshSeconds: 30 * 24 * 60 * 60,
  registrationBodyBytes: 16 * 1024,
} as const;

/** What a client may ask for beside tool groups: to stay connected when its access token has run out. */
export const offlineScope = 'offline_access';

/**
 * Who asks, as the consent page shows it. `name` is what the client calls itself; `host` is where the answer goes, which
 * nobody but its owner can choose; `app` where that is a program on the person's own machine.
 */
export const clientRequest = z.object({
  clientId: z.string(),
  name: z.string(),
  host: z.string(),
  /** Whether its name stands in a document on a site of its own: `verified`, or only in what it wrote about itself. */
  origin: z.enum(['document', 'registration']),
  goesTo: z.enum(['site', 'app']),
  /** The groups that it asks for, in the order of `toolGroups`. */
  scopes: z.array(toolGroup),
  staysConnected: z.boolean(),
  /** The e-mail address of the account that the client would get access to. */
  account: z.string(),
  /** Binds the page to the session that opened it: a yes has to bring it. */
  openedBy: z.string(),
});
export type ClientRequest = z.infer<typeof clientRequest>;

/** The query with which the consent page was opened, without its question mark. */
export const clientRequestInput = z.strictObject({ query: z.string().min(1).max(8_192) });

/** The person's answer: the groups that the client may use, of those that it asked for. */
export const consentBody = z.discriminatedUnion('accept', [
  z.strictObject({
    accept: z.literal(true),
    scopes: tokenScopes,
    query: z.string().min(1).max(8_192),
    openedBy: z.string().max(100),
  }),
  z.strictObject({ accept: z.literal(false), query: z.string().min(1).max(8_192) }),
]);
export type ConsentBody = z.infer<typeof consentBody>;
/** Where the browser goes with the answer. */
export const consentReply = z.object({ url: z.string() });

/** A client that the person has connected. `lastUsedAt` is exact to the minute. */
export const connectedClient = z.object({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  origin: z.enum(['document', 'registration']),
  scopes: z.array(toolGroup),
  connectedAt: isoTime,
  lastUsedAt: isoTime.nullable(),
  /** The address that it last came from. */
  lastUsedFrom: z.string().nullable(),
});
export type ConnectedClient = z.infer<typeof connectedClient>;

export const clientIdInput = z.strictObject({ id: z.string().min(1).max(2_000) });
