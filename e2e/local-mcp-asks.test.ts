import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { toolScopes } from '@drawbridge/contracts/groups';
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, clientInfo, outcomeOf, type Address, type Outcome } from './clients/client.ts';
import {
  answer,
  connectDaemon,
  createProcesses,
  fromRoot,
  newFolder,
  run,
  startServer,
  until,
  type Daemon,
  type Person,
} from './harness/index.ts';
import { daemonEntry } from './harness/paths.ts';

const sdk = (path: string) => pathToFileURL(fromRoot(path)).href;

/** MCP servers with the SDK of each revision; their tool `greet` asks for a name. */
const greeters = {
  older: `
    import { McpServer } from '${sdk('apps/daemon/node_modules/@modelcontextprotocol/sdk/dist/esm/server/mcp.js')}';
    import { StdioServerTransport } from '${sdk('apps/daemon/node_modules/@modelcontextprotocol/sdk/dist/esm/server/stdio.js')}';
    const product = new McpServer({ name: 'older', version: '1' });
    product.registerTool('greet', {}, async () => {
      const { action, content } = await product.server.elicitInput({ message: 'Who is there?', requestedSchema });
      return { content: [{ type: 'text', text: action === 'accept' ? 'Hello ' + content.name : action }] };
    });
    await product.connect(new StdioServerTransport());`,
  newer: `
    import { inputRequired, inputResponse, McpServer } from '${sdk('apps/server/node_modules/@modelcontextprotocol/server/dist/index.mjs')}';
    import { serveStdio } from '${sdk('apps/server/node_modules/@modelcontextprotocol/server/dist/stdio.mjs')}';
    serveStdio(() => {
      const product = new McpServer({ name: 'newer', version: '1' });
      product.registerTool('greet', {}, async ({ mcpReq: { inputResponses } }) => {
        const said = inputResponse(inputResponses, 'who');
        if (said.kind === 'missing')
          return inputRequired({ inputRequests: { who: inputRequired.elicit({ message: 'Who is there?', requestedSchema }) } });
        return { content: [{ type: 'text', text: said.action === 'accept' ? 'Hello ' + said.content.name : said.action }] };
      });
      return product;
    });`,
};
const schema = `const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };`;

type Elicit = (message: string) => ElicitResult;
type ConnectElicit = (address: Address, elicit: Elicit | null) => Promise<(tool: string) => Promise<Outcome>>;

const closing: (() => Promise<void>)[] = [];
const processes = createProcesses();
afterAll(async () => {
  for (const close of closing) await close().catch(() => {});
  await processes.stopAll();
});

const older: ConnectElicit = async (address, elicit) => {
  const client = new OlderClient(clientInfo, { capabilities: elicit ? { elicitation: {} } : {} });
  if (elicit) client.setRequestHandler(ElicitRequestSchema, ({ params }) => elicit(params.message));
  const transport = new OlderTransport(new URL(address.url), { requestInit: { headers: bearer(address) } });
  // The transport's optional session id is declared as one that may be undefined.
  await client.connect(transport as Parameters<OlderClient['connect']>[0]);
  closing.push(() => client.close());
  return async (name) => outcomeOf(await client.callTool({ name, arguments: {} }));
};

const newer: ConnectElicit = async (address, elicit) => {
  const client = new ModernClient(clientInfo, {
    versionNegotiation: { mode: { pin: '2026-07-28' } },
    capabilities: elicit ? { elicitation: { form: {} } } : {},
  });
  if (elicit) client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  await client.connect(
    new ModernTransport(new URL(address.url), { requestInit: { headers: bearer(address) } }),
  );
  closing.push(() => client.close());
  return async (name) => outcomeOf(await client.callTool({ name, arguments: {} }));
};

const tools = ['older__greet', 'newer__greet', 'asked__greet'];
const cancelled = (name: string) =>
  `cancel\nThe MCP server ${name} asked a question and got no answer: Who is there?\nThe program that made this call cannot be asked.`;

let ann: Person;
let daemon: Daemon;
let address: Address;

const add = (name: string, script: string) => {
  const path = join(newFolder('server'), 'server.mjs');
  writeFileSync(path, schema + script);
  return processes.start({
    command: process.execPath,
    args: [daemonEntry, 'mcp', 'add', name, '--', process.execPath, path],
    cwd: daemon.home,
    env: { HOME: daemon.home },
  }).exit;
};

beforeAll(async () => {
  const server = await startServer(processes);
  ann = await server.createOwner();
  daemon = await connectDaemon(processes, { person: ann, url: server.url });
  await add('older', greeters.older);
  await add('newer', greeters.newer);
  await add('asked', greeters.older);
  await until(async () => {
    const names = (await ann.api.gateway.tools.query()).map(({ name }) => name);
    return tools.every((name) => names.includes(name));
  });
  // Two are allowed for the session; the third asks the person each time.
  for (const tool of tools.slice(0, 2)) {
    const { requestId } = await run(ann, tool, {});
    await answer(ann, requestId, { approved: true, resourceDecision: 'allowForSession' });
  }
  const { token } = await ann.api.tokens.create.mutate({ name: 'Clients', scopes: [...toolScopes] });
  address = { url: `${server.url}/mcp`, token };
});

describe.each([
  ['2025-11-25', older],
  ['2026-07-28', newer],
] as [string, ConnectElicit][])('a client of revision %s', (_revision, connect) => {
  it.each(['older', 'newer'])('answers the question of a local server of the %s revision', async (name) => {
    const heard: string[] = [];
    const call = await connect(address, (message) => {
      heard.push(message);
      return { action: 'accept', content: { name: 'Ada' } };
    });
    expect(await call(`${name}__greet`)).toEqual({ text: 'Hello Ada', isError: false });
    expect(heard).toEqual([`The MCP server ${name} asks: Who is there?`]);
  });

  it('declines', async () => {
    const call = await connect(address, () => ({ action: 'decline' }));
    expect(await call('older__greet')).toEqual({ text: 'decline', isError: false });
  });

  it('cannot be asked: the local server continues without an answer, and the result says why', async () => {
    const call = await connect(address, null);
    expect(await call('older__greet')).toEqual({ text: cancelled('older'), isError: false });
  });

  it('CF-15 the person allows the call, and then the answer that would be sent', async () => {
    const call = await connect(address, () => ({ action: 'accept', content: { name: 'Ada' } }));
    const calling = call('asked__greet');
    const descriptions: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      const open = await until(async () => (await ann.api.confirmations.list.query())[0]);
      descriptions.push(open.description);
      await ann.api.confirmations.decide.mutate({
        confirmationId: open.id,
        approved: true,
        resourceDecision: 'allowOnce',
      });
    }
    expect([await calling, descriptions]).toEqual([
      { text: 'Hello Ada', isError: false },
      [
        'Call greet of the MCP server asked with {}',
        'Send {"name":"Ada"} to greet of the MCP server asked, which asked: Who is there?',
      ],
    ]);
  });
});

it('the panel cannot be asked: the call ends, and says why', async () => {
  const { state, result } = await run(ann, 'older__greet', {});
  expect([state, outcomeOf(result).text]).toEqual(['succeeded', cancelled('older')]);
});
