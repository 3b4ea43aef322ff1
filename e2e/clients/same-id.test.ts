import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { connectDaemon, createProcesses, postMcp, startServer, type Server } from '../harness/index.ts';

/** Of each of the two users; as many calls as one user may have open. */
const clientsEach = 100;
const processes = createProcesses();
afterAll(() => processes.stopAll());

let server: Server;
/** Two of each user: one token alone may not have so many calls open. */
const tokens: [string, string][] = [];

const contentOf = (user: number, n: number) => `only for client ${n} of user ${user}`;

beforeAll(async () => {
  server = await startServer(processes);
  const ann = await server.createOwner();
  const ben = await server.invite(ann);
  for (const [user, person] of [ann, ben].entries()) {
    const { root } = await connectDaemon(processes, { person, url: server.url });
    for (let n = 0; n < clientsEach; n++) writeFileSync(join(root, `${n}.txt`), contentOf(user, n));
    const create = async () => (await person.api.tokens.create.mutate({ name: 'Many' })).token;
    tokens.push([await create(), await create()]);
  }
});

/** One of the clients: whose it is, and which of theirs. */
interface One {
  user: number;
  n: number;
}

const post = async ({ user, n }: One, body: object, headers: Record<string, string>) =>
  postMcp(server.url, {
    token: tokens[user]?.[n < clientsEach / 2 ? 0 : 1],
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
  });

const answered = z.object({
  id: z.literal(1),
  result: z.object({ content: z.array(z.object({ text: z.string() })) }),
});

/** The text of the one answer, whether it came alone or on a stream. */
const textOf = async (response: Response): Promise<string> => {
  const body = await response.text();
  const [message, ...more] = body.startsWith('{')
    ? [body]
    : body.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice('data: '.length)] : []));
  expect(more).toEqual([]);
  return answered.parse(JSON.parse(message ?? '')).result.content[0]?.text ?? '';
};

const stateless = '2026-07-28';
const clientInfo = { name: 'one of many', version: '1' };
const read = ({ n }: One) => ({ name: 'read_file', arguments: { filePath: `${n}.txt` } });

/** A client of revision 2026-07-28. */
const askStateless = async (one: One) => {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': stateless,
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': stateless, 'mcp-method': 'tools/call', 'mcp-name': 'read_file' };
  return textOf(await post(one, { method: 'tools/call', params: { ...read(one), _meta } }, headers));
};

/** A client of revision 2025-11-25 with a session of its own. */
const askInSession = async (one: One) => {
  const revision = '2025-11-25';
  const started = await post(
    one,
    { method: 'initialize', params: { protocolVersion: revision, capabilities: {}, clientInfo } },
    {},
  );
  await started.text();
  const session = started.headers.get('mcp-session-id') ?? '';
  const headers = { 'mcp-protocol-version': revision, 'mcp-session-id': session };
  return textOf(await post(one, { method: 'tools/call', params: read(one) }, headers));
};

it('MC-06 200 clients at once, of two users and both revisions, all with id 1: each gets its own answer', async () => {
  const clients = [0, 1].flatMap((user) => Array.from({ length: clientsEach }, (_none, n) => ({ user, n })));
  const texts = await Promise.all(clients.map((one) => (one.n % 2 === 0 ? askStateless : askInSession)(one)));
  const found = texts.map((text) => /only for client \d+ of user \d/.exec(text)?.[0] ?? text);
  expect(found).toEqual(clients.map(({ user, n }) => contentOf(user, n)));
});
