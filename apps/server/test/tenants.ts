import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { toolScopes, type ToolScope } from '@drawbridge/contracts/groups';
import { connectDaemon, requestOf, type TestDaemon } from './daemon.ts';
import { oauthOf } from './oauth.ts';
import { createPanel, type Panel } from './panel.ts';
import { cookiesOf, signUpOwner, startServer, type TestServer } from './server.ts';

/** One user with a machine, signed in. */
export interface Tenant {
  cookie: string;
  panel: Panel;
  daemon: TestDaemon;
}

/** Ann, whose ids are tried, and Ben, who tries them. */
export interface Tenants {
  server: TestServer;
  ann: Tenant;
  ben: Tenant;
  /** What belongs to Ann, by kind. */
  ids: Record<string, string>;
  /** Headers by which Ben can prove who he is. */
  proofs: Record<string, Record<string, string>>;
  /** All headers by which Ann proves who she is. */
  annsProof: Record<string, string>;
  /** The access token of a client that Ann has connected. */
  clientToken: string;
}

const question = {
  toolGroup: 'filesystemWrite',
  resource: '/home/person/project/note.txt',
  description: 'Write note.txt',
  options: ['allowOnce', 'denyOnce'],
};
/** A client's token names the door that it is for, so the address must be known before the port is. */
const publicUrl = 'http://127.0.0.1';
const clientScopes: ToolScope[] = ['filesystemRead', 'filesystemWrite', 'shell'];

const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
const asks = {
  isError: true,
  content: [{ type: 'text', text: confirmationText.encode(question) }],
};

/** An unknown id of the same shape. */
export const unlike = (id: string) => id.replaceAll(/[a-z0-9]/gi, (one) => (one === 'x' ? 'y' : 'x'));

const join = async (server: TestServer, cookie: string): Promise<Tenant> => {
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  return { cookie, panel, daemon: await connectDaemon(server, token) };
};

/** The cookie of Ben, whom the owner has invited. */
export const invited = async (server: TestServer, owner: Panel): Promise<string> => {
  const { url } = await owner.invitations.create.mutate();
  const invitationToken = url.split(/[=#/]/).at(-1);
  const account = { name: 'Ben', email: 'ben@example.org', password: 'another long password' };
  return cookiesOf(
    await server.send('/trpc/invitations.accept', { method: 'POST', body: { invitationToken, ...account } }),
  );
};

/** Runs a tool; the machine answers it with `result`. */
const runOn = async ({ panel, daemon }: Tenant, name: string, result: unknown) => {
  const running = panel.calls.run.mutate({ name, arguments: { filePath: 'note.txt' } });
  await daemon.respond(requestOf(await daemon.stream.next()).requestId, { result });
  return running;
};

/** Connects a new OAuth client of a person; returns its id and its access token. */
const connectClient = async (server: TestServer, { cookie }: Tenant) => {
  const { id, tokens } = await oauthOf(server, { cookie, resource: `${publicUrl}/mcp` }).connect(
    clientScopes,
  );
  return { id, token: tokens.access_token };
};

/** Starts a session of MCP with what Ann's bearer holds and runs a tool in it; returns the ids of both. */
const throughMcp = async (server: TestServer, { daemon }: Tenant, proof: Record<string, string>) => {
  const headers = { ...proof, accept: 'application/json, text/event-stream' };
  const post = (method: string, params: object, more: Record<string, string> = {}) =>
    server.send('/mcp', {
      method: 'POST',
      headers: { ...headers, ...more },
      body: { jsonrpc: '2.0', id: 1, method, params },
    });
  const clientInfo = { name: 'test', version: '1' };
  const started = await post('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  const session = String(started.headers['mcp-session-id']);
  const reading = post('tools/call', { name: 'read_file', arguments: {} }, { 'mcp-session-id': session });
  const { requestId } = requestOf(await daemon.stream.next());
  await daemon.respond(requestId, { result: { content: [{ type: 'text', text: 'only for Ann' }] } });
  await reading;
  return { session, requestId };
};

export const createTenants = async (environment: Record<string, string> = {}): Promise<Tenants> => {
  const most = '100000';
  const server = await startServer({
    environment: {
      SIGN_IN_PER_MINUTE: most,
      SETUP_PER_MINUTE: most,
      PAIRING_PER_MINUTE: most,
      NOT_FOUND_PER_MINUTE: most,
      PUBLIC_URL: publicUrl,
      ...environment,
    },
  });
  const ann = await join(server, await signUpOwner(server));
  const ben = await join(server, await invited(server, ann.panel));
  const ended = await runOn(ann, 'read_file', { content: [{ type: 'text', text: 'only for Ann' }] });
  const open = await runOn(ann, 'write_file', asks);
  await ann.panel.invitations.create.mutate();
  const token = await ann.panel.tokens.create.mutate({ name: 'Desk' });
  const bensToken = await ben.panel.tokens.create.mutate({ name: 'Lap', scopes: [...toolScopes] });
  const mcp = await throughMcp(server, ann, bearer(token));
  const client = await connectClient(server, ann);
  const bensClient = await connectClient(server, ben);
  const byClient = await throughMcp(server, ann, bearer(client));
  const [invitation] = await ann.panel.invitations.list.query();
  return {
    server,
    ann,
    ben,
    ids: {
      'call that ended': ended.requestId,
      'open call': open.requestId,
      confirmation: open.confirmationId ?? '',
      machine: open.machineId,
      invitation: invitation?.id ?? '',
      token: token.id,
      'call of the token': mcp.requestId,
      'MCP session': mcp.session,
      client: client.id,
      'call of the client': byClient.requestId,
      "the client's MCP session": byClient.session,
    },
    proofs: {
      session: { cookie: ben.cookie },
      'session key': { [gatewayKeyHeader]: ben.daemon.sessionKey },
      token: bearer(bensToken),
      client: bearer(bensClient),
      nothing: {},
    },
    annsProof: { cookie: ann.cookie, ...bearer(token) },
    clientToken: client.token,
  };
};
