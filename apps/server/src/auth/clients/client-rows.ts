import { clientLimits } from '@drawbridge/contracts/clients';
import { toolScopes, type ToolScope } from '@drawbridge/contracts/groups';
import { cutText, visible } from '@drawbridge/kit';
import { z } from 'zod';
import type { AuthTables, Texts, Time } from '../auth-tables.ts';
import { timeOf } from '../readable.ts';

const list = z.array(z.string());
const texts = z.union([list, z.string().transform((text) => list.parse(JSON.parse(text)))]);
/** What is kept for an authorization code that has not been redeemed. */
export const codeText = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ userId: z.string(), query: z.object({ client_id: z.string() }) }));
const groupsOf = (stored: Texts): ToolScope[] => {
  const scopes = new Set(texts.parse(stored));
  return toolScopes.filter((group) => scopes.has(group));
};
export const timeOrNull = (value: Time | null) => (value === null ? null : timeOf(value));
const machinesOf = (text: string | null): { machines?: string[] } =>
  text === null ? {} : { machines: texts.parse(text) };
const originOf = (discovery: string | null) => (discovery === null ? 'registration' : 'document');

export interface StoredClient {
  clientId: string;
  name: string;
  origin: 'document' | 'registration';
  redirectUris: string[];
}

/** Times in milliseconds since 1970. */
export interface StoredConsent extends StoredClient {
  scopes: ToolScope[];
  connectedAt: number;
  lastUsedAt: number | null;
  lastUsedFrom: string | null;
  machines?: string[];
}

/** An access token of a client, as far as its user still agrees to it. */
export interface StoredGrant {
  grantId: string;
  consentId: string;
  clientId: string;
  userId: string;
  name: string;
  /** What both the token and the consent name. */
  scopes: ToolScope[];
  resources: string[];
  /** The ids of the machines that the consent names; undefined: all. */
  machines?: string[];
  expiresAt: number;
}

/** The name may come unchecked from the client's own metadata document: what hides in it is written out. */
const nameOf = (row: { name: string | null; clientId: string }) =>
  cutText(visible((row.name ?? '').trim()), clientLimits.nameLength) || row.clientId;

export const readClient = (
  row: Pick<AuthTables['oauthClient'], 'clientId' | 'clientDiscoveryId' | 'name' | 'redirectUris'>,
): StoredClient => ({
  clientId: row.clientId,
  name: nameOf(row),
  origin: originOf(row.clientDiscoveryId),
  redirectUris: texts.parse(row.redirectUris),
});

export const readConsent = (
  row: Parameters<typeof readClient>[0] & {
    scopes: Texts;
    connectedAt: Time;
    lastUsedAt: Time | null;
    lastUsedFrom: string | null;
    machines: string | null;
  },
): StoredConsent => ({
  ...readClient(row),
  scopes: groupsOf(row.scopes),
  connectedAt: timeOf(row.connectedAt),
  lastUsedAt: timeOrNull(row.lastUsedAt),
  lastUsedFrom: row.lastUsedFrom,
  ...machinesOf(row.machines),
});

export const readGrant = ({
  tokenScopes,
  consentScopes,
  resources,
  machines,
  expiresAt,
  name,
  ...row
}: Pick<StoredGrant, 'grantId' | 'consentId' | 'clientId' | 'userId'> & {
  name: string | null;
  tokenScopes: Texts;
  consentScopes: Texts;
  resources: Texts | null;
  machines: string | null;
  expiresAt: Time;
}): StoredGrant => {
  const agreedTo = new Set(groupsOf(consentScopes));
  return {
    ...row,
    name: nameOf({ name, clientId: row.clientId }),
    scopes: groupsOf(tokenScopes).filter((group) => agreedTo.has(group)),
    resources: resources === null ? [] : texts.parse(resources),
    ...machinesOf(machines),
    expiresAt: timeOf(expiresAt),
  };
};
