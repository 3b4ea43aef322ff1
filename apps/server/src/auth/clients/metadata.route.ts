import type { FastifyPluginAsync } from 'fastify';
import { z } from 'zod';
import { setCacheControl } from '../../http/index.ts';
import type { Auth } from '../better-auth.ts';
import { clientScopes, resourceOf } from './oauth-provider.ts';

interface Needs {
  auth: Auth;
  url(): string;
}

/** Better-auth's description of itself, as far as it is served here. */
const serverMetadata = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  registration_endpoint: z.string(),
  revocation_endpoint: z.string(),
  response_types_supported: z.array(z.string()),
  response_modes_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()),
  code_challenge_methods_supported: z.array(z.string()),
  authorization_response_iss_parameter_supported: z.boolean(),
  client_id_metadata_document_supported: z.boolean(),
});

/** Where clients read how to get a token: RFC 9728 for the MCP door, RFC 8414 for who gives tokens out. */
export const createMetadataRoutes = ({ auth, url }: Needs): FastifyPluginAsync => {
  const issuer = async () => serverMetadata.parse(await auth.api.getOAuthServerConfig());

  return async (app) => {
    setCacheControl(app, 'public, max-age=300');
    const resource = async () => ({
      resource: resourceOf(url()),
      authorization_servers: [(await issuer()).issuer],
      // With the one that keeps a client connected: many ask for what they read here, and for nothing else.
      scopes_supported: clientScopes,
      bearer_methods_supported: ['header'],
      resource_name: 'Drawbridge',
    });
    // Also for the address of one machine: it is below the resource, as clients check it.
    for (const path of ['', '/mcp', '/mcp/:machineId']) app.get(`/oauth-protected-resource${path}`, resource);
    app.get('/oauth-authorization-server/api/auth', async () => ({
      ...(await issuer()),
      scopes_supported: clientScopes,
    }));
  };
};
