import { cimd } from '@better-auth/cimd';
import { oauthProvider } from '@better-auth/oauth-provider';
import { clientLimits, offlineScope } from '@drawbridge/contracts/clients';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { BetterAuthPlugin } from 'better-auth';
import type { Network } from '../../outside/index.ts';
import { createDocumentFetch } from './document-fetch.ts';

/** What clients get begins with one of these, so that a scanner of leaked secrets knows it. */
export const clientPrefixes = { access: 'dbo_', refresh: 'dbr_', secret: 'dbs_' } as const;

/** The panel's page for sign-in and consent; it also shows errors. */
export const consentPage = '/connect-client';

/** What a client's token is good for: the MCP door and nothing else. */
export const resourceOf = (url: string): string => `${url}/mcp`;

export const clientScopes: readonly string[] = [...toolScopes, offlineScope];

/** What it does not keep of a consent. */
const clientUse = {
  id: 'drawbridge-client-use',
  schema: {
    oauthConsent: {
      fields: {
        lastUsedAt: { type: 'date', required: false, input: false },
        lastUsedFrom: { type: 'string', required: false, input: false },
        machines: { type: 'string', required: false, input: false },
      },
    },
  },
} satisfies BetterAuthPlugin;

/**
 * The plugin would revoke the grants of a session when the session ends. Here a client stays connected
 * until it is revoked; a sign-out or an expired session does not change that.
 */
const outlivesSessions = (provider: ReturnType<typeof oauthProvider>) => ({
  ...provider,
  init: async (context: Parameters<typeof provider.init>[0]) => void (await provider.init(context)),
});

interface OauthNeeds {
  /** Where documents about clients are fetched. */
  outside: Network;
  refreshes: { plugin: BetterAuthPlugin };
}

/**
 * OAuth 2.1 for MCP clients: codes with PKCE, opaque tokens stored as digests, single-use refresh tokens,
 * clients that register themselves or have a metadata document on their own site.
 */
export const oauthPlugins = (url: string, { outside, refreshes }: OauthNeeds) => [
  outlivesSessions(
    oauthProvider({
      scopes: [...clientScopes],
      resources: [{ identifier: resourceOf(url), name: 'Drawbridge' }],
      enforcePerClientResources: false,
      grantTypes: ['authorization_code', 'refresh_token'],
      loginPage: consentPage,
      consentPage,
      disableJwtPlugin: true,
      allowDynamicClientRegistration: true,
      allowUnauthenticatedClientRegistration: true,
      accessTokenExpiresIn: clientLimits.accessSeconds,
      refreshTokenExpiresIn: clientLimits.refreshSeconds,
      refreshTokenReuseInterval: clientLimits.refreshAgainSeconds,
      // It counts for the consent page as well; `codesExpireSoon` shortens it for codes.
      codeExpiresIn: clientLimits.consentSeconds,
      prefix: {
        opaqueAccessToken: clientPrefixes.access,
        refreshToken: clientPrefixes.refresh,
        clientSecret: clientPrefixes.secret,
      },
    }),
  ),
  cimd({ fetchClientMetadataResource: createDocumentFetch(outside), metadataProfile: 'mcp-2026-07-28' }),
  clientUse,
  refreshes.plugin,
];

const shorterByMs = (clientLimits.consentSeconds - clientLimits.codeSeconds) * 1_000;

/** A hook of better-auth: an authorization code holds for a minute. */
export const codesExpireSoon = {
  create: {
    before: async (value: { value: string; expiresAt: Date }) => {
      if (!value.value.startsWith('{"type":"authorization_code"')) return;
      return { data: { ...value, expiresAt: new Date(value.expiresAt.getTime() - shorterByMs) } };
    },
  },
};
