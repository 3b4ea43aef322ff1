import { systemClock } from '@drawbridge/kit';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputRequired, inputRequiredMeta } from '@drawbridge/contracts/client-input';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { expect, it } from 'vitest';
import { makeFolders, textOf, openTools } from '../../../test/support/tool-fixture.ts';
import { until } from '../../../test/support/scripted-mcp-server.ts';
import { openMcpServers } from './servers-file.ts';

const program = (name: string) =>
  join(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/${name}/dist/index.js`);

const start = async (name: string, args: (outside: string) => string[]) => {
  const folders = makeFolders();
  const servers = await openMcpServers(folders.own, systemClock);
  await servers.add('real', {
    command: process.execPath,
    args: [program(name), ...args(folders.outside)],
    env: {},
  });
  const world = await openTools({ folders, modes: { mcp: 'allow' } });
  const names = () =>
    world.toolbox
      .offered(world.gate.modes())
      .flatMap((tool) => (tool.name.includes('__') ? [tool.name] : []));
  await until(() => expect(names()).not.toEqual([]));
  return { ...world, names };
};

it('server-filesystem: its tools, its results, its own refusals', async () => {
  const { outside, names, call } = await start('server-filesystem', (folder) => [folder]);
  expect(names()).toEqual(
    expect.arrayContaining(['real__read_text_file', 'real__write_file', 'real__list_directory']),
  );
  writeFileSync(join(outside, 'a.txt'), 'from the server');
  expect(await call('real__read_text_file', { path: join(outside, 'a.txt') })).toEqual({
    content: [{ type: 'text', text: 'from the server' }],
    structuredContent: { content: 'from the server' },
  });
  const refused = await call('real__read_text_file', { path: '/etc/hostname' });
  expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringMatching(/^Access denied/)]);
});

it('server-everything: pictures, structured content, links, progress, bad arguments', async () => {
  const { names, call, dispatch } = await start('server-everything', () => ['stdio']);
  const own = (part: string) => names().find((name) => name.includes(part)) ?? part;
  expect(textOf(await call(own('echo'), { message: 'hello' }))).toBe('Echo: hello');
  const picture = await call(own('tiny-image'), {});
  expect(picture.content.map(({ type }) => type)).toContain('image');
  const structured = await call(own('structured-content'), { location: 'New York' });
  expect(structured.structuredContent).toMatchObject({ conditions: expect.any(String) });
  expect(await call(own('echo'), { message: 7 })).toMatchObject({ isError: true });
  const told: ProgressBody[] = [];
  const result = await dispatch(
    { requestId: 'long', toolCall: { name: own('long-running'), arguments: { duration: 0.2, steps: 2 } } },
    {
      tag: 'tag',
      signal: new AbortController().signal,
      progress: (update) => told.push(update),
      starting: async () => {},
      delivered: Promise.resolve(),
    },
  );
  expect([result.isError ?? false, told]).toEqual([
    false,
    [1, 2].map((progress) => expect.objectContaining({ progress, total: 2 })),
  ]);
});

it('server-everything: its question, and its page', async () => {
  const { call } = await start('server-everything', () => ['stdio']);
  const methods = ['elicitation/create'];
  const ask = async (tool: string, args: object, input: object) => {
    const result = await call(`real__${tool}`, { ...args, _input: input });
    const { inputRequests, requestState } = inputRequired.parse(result._meta?.[inputRequiredMeta]);
    const params = inputRequests['question']?.params;
    return {
      params,
      goOn: (said: object) =>
        call(`real__${tool}`, { ...args, _input: { ...input, requestState, responses: { question: said } } }),
    };
  };
  const form = await ask('trigger-elicitation-request', {}, { methods });
  expect(form.params).toMatchObject({
    mode: 'form',
    message: 'The MCP server real asks: Please provide inputs for the following fields:',
    requestedSchema: {
      required: ['name'],
      properties: { legacyTitledEnum: { enumNames: expect.any(Array) } },
    },
  });
  const answered = await form.goOn({ action: 'accept', content: { name: 'Ada', integer: 7 } });
  expect(answered.content[1]).toMatchObject({ text: 'User inputs:\n- Name: Ada\n- Favorite Integer: 7' });
  const url = 'https://a.example/sign-in';
  const page = await ask('trigger-url-elicitation', { url }, { methods, showsPages: true });
  expect(page.params).toMatchObject({ mode: 'url', url });
  expect(textOf(await page.goOn({ action: 'decline' }))).toContain('decline');
});
