import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Network } from '../src/outside/index.ts';
import { procedureResult, signUpOwner, startServer, type Got, type TestServer } from './server.ts';

/** The origin that tests of OAuth are reached under; the requests themselves go to the port. */
export const publicUrl = 'https://bridge.example';
export const resource = `${publicUrl}/mcp`;
const base = '/api/auth/oauth2';
export const redirect = 'https://client.example/callback';

const registered = z.object({ client_id: z.string() });
const tokenReply = z.object({
  access_token: z.string(),
  refresh_token: z.string().optional(),
  token_type: z.string(),
  expires_in: z.number(),
  scope: z.string(),
});
const opened = z.object({ openedBy: z.string() });
const consented = z.object({ url: z.string() });

const form = (values: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(values).toString(),
});

/** Parameters to change or, where undefined, to leave out. */
export type Changes = Record<string, string | undefined>;
const changed = (values: Record<string, string>, changes: Changes): Record<string, string> =>
  Object.fromEntries(
    Object.entries({ ...values, ...changes }).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );

/** A pair of PKCE. */
export const newVerifier = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

/** OAuth clients of a server and the browser of the cookie's person; `resource` is the MCP door's address. */
export const oauthOf = (
  server: TestServer,
  { cookie, resource: door }: { cookie: string; resource: string },
) => {
  const register = (body: object = {}): Promise<Got> =>
    server.send(`${base}/register`, {
      method: 'POST',
      body: {
        client_name: 'Agent',
        redirect_uris: [redirect],
        token_endpoint_auth_method: 'none',
        ...body,
      },
    });
  const clientId = async (body?: object) => registered.parse((await register(body)).json).client_id;

  /** Opens the address that a client sends the browser to. */
  const authorize = (client: string, changes: Changes & { challenge: string }, headers = {}) => {
    const { challenge, ...rest } = changes;
    const query = changed(
      {
        response_type: 'code',
        client_id: client,
        redirect_uri: redirect,
        scope: 'filesystemRead filesystemWrite shell offline_access',
        state: 'their-state',
        code_challenge: challenge,
        code_challenge_method: 'S256',
        resource: door,
      },
      rest,
    );
    return server.send(`${base}/authorize?${new URLSearchParams(query).toString()}`, {
      headers: { cookie, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', ...headers },
    });
  };
  const queryOf = (got: Got) => (got.headers.location ?? '').split('?')[1] ?? '';

  /** The proof that comes with the consent page which this browser opens. */
  const openPage = async (query: string, headers: Record<string, string> = { cookie }): Promise<string> => {
    const input = encodeURIComponent(JSON.stringify({ query }));
    return opened.parse(
      procedureResult(await server.send(`/trpc/clients.request?input=${input}`, { headers })),
    ).openedBy;
  };
  const consent = (body: object, headers: Record<string, string> = { cookie }) =>
    server.send(`${base}/consent`, { method: 'POST', headers, body });

  /** The address that the browser goes to after a yes. */
  const allow = async (client: string, scopes: string[], asked: Changes & { challenge: string }) => {
    const query = queryOf(await authorize(client, asked));
    const openedBy = await openPage(query);
    return new URL(consented.parse((await consent({ accept: true, scopes, query, openedBy })).json).url);
  };

  const redeem = (client: string, proof: { code: string; verifier: string }, changes: Changes = {}) =>
    server.send(
      `${base}/token`,
      form(
        changed(
          {
            grant_type: 'authorization_code',
            client_id: client,
            code: proof.code,
            code_verifier: proof.verifier,
            redirect_uri: redirect,
            resource: door,
          },
          changes,
        ),
      ),
    );
  const refresh = (client: string, token: string, changes: Changes = {}) =>
    server.send(
      `${base}/token`,
      form(changed({ grant_type: 'refresh_token', client_id: client, refresh_token: token }, changes)),
    );

  /** The whole way: the tokens of a client that the owner has connected. */
  const connect = async (
    scopes = ['filesystemRead'],
    { client, ...changes }: Changes & { client?: string } = {},
  ) => {
    const id = client ?? (await clientId());
    const { verifier, challenge } = newVerifier();
    const to = await allow(id, scopes, { ...changes, challenge });
    const code = to.searchParams.get('code') ?? '';
    const { redirect_uri = redirect } = changes;
    const tokens = tokenReply.parse((await redeem(id, { code, verifier }, { redirect_uri })).json);
    return { id, code, verifier, tokens, to };
  };

  /** What the MCP door says to a bearer: 200, or 401. */
  const use = async (bearer: string) => {
    const got = await server.send('/mcp', {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, accept: 'application/json, text/event-stream' },
      body: {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      },
    });
    return got.status;
  };

  const revoke = (token: string, client: string) =>
    server.send(`${base}/revoke`, form({ token, client_id: client }));

  return {
    server,
    cookie,
    register,
    clientId,
    authorize,
    queryOf,
    openPage,
    consent,
    allow,
    redeem,
    refresh,
    connect,
    use,
    revoke,
    tokensOf: (got: Got) => tokenReply.parse(got.json),
  };
};

/** A server with its owner signed in, and OAuth clients of it. */
export const openOauth = async ({ outside }: { outside?: Network } = {}) => {
  const environment = { PUBLIC_URL: publicUrl };
  const server = await startServer({ environment, ...(outside && { outside }) });
  return oauthOf(server, { cookie: await signUpOwner(server), resource });
};
