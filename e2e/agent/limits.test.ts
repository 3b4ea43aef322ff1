import { once } from 'node:events';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until, type Person } from '../harness/index.ts';
import { byCase, type Step } from './crash-script.ts';
import type { ScriptedRequest, Turn } from './scripted-model.ts';
import { startWorld, textOf, use, type World } from './world.ts';

const list = (description: string) =>
  use('update-tasks', { tasks: [{ id: '1', description, status: 'todo' }] });
const costly = (input: number): Turn => ({ ...list('one'), usage: { input, output: 1 } });
const note = '- 2026-11-23 08:00 they spoke of the weather';
const headings = ['Goal', 'Important facts', 'Current state', 'Open issues', 'Next step'];

const cases = byCase({
  steps: ({ count }) => (count <= 101 ? list(`step ${count}`) : { text: 'Done.' }),
  tokens: ({ count }) => (count === 1 ? costly(2_000_000) : { text: 'Done.' }),
  day: () => costly(1_500),
  sixty: ({ count }: Step): Turn =>
    [use('search_tools', { query: 'tool_7' }), use('load_tool', { names: ['mcp__many__tool_7', 'nope'] })][
      count - 1
    ] ?? { text: 'Done.' },
});
const isNotes = (request: ScriptedRequest) => textOf(request).includes('You keep the notes');
const isSummary = (request: ScriptedRequest) => textOf(request).includes('You summarise');
const script = (request: ScriptedRequest): Turn => {
  if (isNotes(request)) return { text: note };
  if (isSummary(request)) return { text: headings.map((heading) => `## ${heading}\nx`).join('\n') };
  return cases.script(request);
};

const rpc = z.object({ id: z.union([z.number(), z.string()]).optional(), method: z.string() });

/** An MCP server that offers 60 tools, and three that no server may offer. */
const startTools = async () => {
  const deep = Array.from({ length: 40 }).reduce<object>((items) => ({ type: 'array', items }), {});
  const schema = { type: 'object' };
  const tools = [
    ...Array.from({ length: 60 }, (_, n) => ({ name: `tool_${n}`, description: `Does tool_${n}` })),
    { name: 'plan' },
    { name: '../x' },
    { name: 'deep', inputSchema: { ...schema, properties: { deep } } },
  ].map((tool) => ({ inputSchema: schema, ...tool }));
  const server = createServer(async (incoming, reply) => {
    if (incoming.method !== 'POST') return void reply.writeHead(405).end();
    const { id, method } = rpc.parse(await json(incoming));
    if (id === undefined) return void reply.writeHead(202).end();
    const start = { protocolVersion: '2025-11-25', capabilities: { tools: {} } };
    const serverInfo = { name: 'many', version: '1' };
    const known = method === 'tools/list' ? { tools } : { ...start, serverInfo };
    const isKnown = ['tools/list', 'initialize'].includes(method);
    const answer = isKnown ? { result: known } : { error: { code: -32601, message: 'Method not found' } };
    reply.writeHead(200, { 'content-type': 'application/json' });
    reply.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}/mcp`, close };
};

describe('limits', () => {
  let tools: Awaited<ReturnType<typeof startTools>>;
  let world: World;
  let ben: Person;

  const suspended = async (id: string) => {
    const thread = world.thread(id);
    await until(async () => (await thread.now()).status === 'suspended');
    const [ask] = await thread.asks();
    expect(ask).toMatchObject({ inputType: 'continue', toolCallId: null });
    const goOn = () => thread.answer(ask?.requestId ?? '', { kind: 'approval', approved: true });
    return { thread, message: ask?.message, goOn };
  };
  /** Sends these messages, each after the run of the one before it. */
  const talk = async (person: Person, id: string, ...messages: string[]) => {
    const thread = world.thread(id, person);
    for (const message of messages) {
      await thread.say(message);
      await until(async () => (await thread.now()).status === 'idle');
    }
  };
  const notes = () => world.model.requests.filter(isNotes).length;
  const newest = () => world.model.requests.findLast(({ tools: offered }) => offered.length > 0)!;

  beforeAll(async () => {
    tools = await startTools();
    world = await startWorld(script, {
      AGENT_MCP_SERVERS: `many=${tools.url}`,
      AGENT_CONTEXT_TOKENS: '2000000',
      AGENT_MAX_OUTPUT_TOKENS: '512',
    });
    ben = await world.server.invite(world.ann);
  });
  afterAll(async () => {
    await world?.stop();
    tools?.close();
  });

  it('12 of 60 tools the model finds and loads one, and three that cannot be offered are in the log', async () => {
    await talk(world.ann, 'sixty', 'case:sixty');
    const foreign = world
      .requestsOf('sixty')
      .map((request) => request.tools.filter((name) => name.startsWith('mcp__')));
    expect(foreign).toEqual([[], [], ['mcp__many__tool_7']]);
    const [first] = world.requestsOf('sixty');
    expect(first?.tools).toEqual(expect.arrayContaining(['search_tools', 'load_tool', 'plan']));
    const warned = world.server
      .process()
      .output()
      .match(/The tool \S+ of the MCP server/g);
    expect(new Set(warned).size).toBe(3);
    expect(warned).toHaveLength(3);
  });

  it('17 AG-04 step 101 waits for the person, and goes on from there', async () => {
    await world.thread('steps').say('case:steps');
    const { thread, message, goOn } = await suspended('steps');
    expect([message, cases.count('steps')]).toEqual([expect.stringContaining('100 steps'), 100]);
    expect(await goOn()).toBe(200);
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
    expect(cases.count('steps')).toBe(102);
  });

  it('17 AG-04 so do the tokens of a run', async () => {
    await world.thread('tokens').say('case:tokens');
    const { thread, message, goOn } = await suspended('tokens');
    expect([message, cases.count('tokens')]).toEqual([expect.stringContaining('2000001 tokens'), 1]);
    expect(await goOn()).toBe(200);
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
  });

  it('17 AG-04 the tokens of a day end the run, and the next message is refused', async () => {
    await world.send('PATCH', '/settings', { tokensPerDay: 1_000 });
    const thread = world.thread('day', ben);
    await thread.say('case:day');
    expect((await thread.until('error')).payload.code).toBe('BUDGET_SPENT');
    expect((await thread.until('run-finish')).payload.status).toBe('error');
    await expect(thread.say('again')).rejects.toThrow('429');
    await world.send('PATCH', '/settings', { tokensPerDay: null });
  });

  it('16 notes replace 45,000 tokens of messages', async () => {
    const long = 'The weather was fine and the work went on. '.repeat(720);
    const messages = [1, 2, 3, 4, 5].map((n) => `${n} canary-of-ann ${long}`);
    await talk(world.ann, 'long', ...messages);
    await until(async () => notes() > 0);
    await until(async () => {
      await talk(world.ann, 'long', 'And now?');
      return newest().text.includes('they spoke of the weather');
    });
    expect(newest().text.length).toBeLessThan(messages.join('').length);
    expect(newest().text).not.toContain('1 canary-of-ann');
  });

  it('16 a context of 8,192 tokens has a summary under five headings, AG-05 and no word of another person', async () => {
    const memory = { version: 0, sections: { person: 'memory-of-ann' } };
    expect((await world.send('PATCH', '/memory', memory)).status).toBe(200);
    await world.send('PATCH', '/settings', { contextTokens: 8_192 });
    const from = world.model.requests.length;
    const long = 'The weather was fine and the work went on. '.repeat(80);
    await talk(ben, 'long', ...[1, 2, 3, 4, 5, 6, 7].map((n) => `${n} ${long}`));
    const requests = world.model.requests.slice(from);
    expect(requests.some(isSummary)).toBe(true);
    expect(headings.filter((heading) => !newest().text.includes(`${heading}:`))).toEqual([]);
    expect(requests.filter(({ text }) => /(canary|memory)-of-ann/.test(text))).toEqual([]);
  });
});
