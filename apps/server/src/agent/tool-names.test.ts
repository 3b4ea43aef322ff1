import { expect, it, onTestFinished } from 'vitest';
import { requestsOf, story, textOf, use } from '../../test/agent-turns.ts';
import { nextCall, resultOf, withMachine } from '../../test/agent.ts';
import { openMcpServer } from '../../test/mcp-server.ts';

const tool = (name: string) => ({ name, description: 'Does it', inputSchema: { type: 'object' } });

/** Names of tools of the agent, MCP servers, workspaces and the machine itself, as others write them. */
const imitations = [
  ...['fetch_url', 'ask_user', 'Remember', 'web_search', 'search.tools', 'l0ad_tool', 'canvasGet', 'PLAN'],
  ...['workspace_shell_execute', 'WorkspaceReadFile', 'mcp__ext__x', 'mcp..ext..x'],
  ...['n8n_run_workflow', 'read__file', 'Read.File', 'notes..save'],
];

it('NA-35: a tool of a machine that is named like one of ours is left out and named; the rest works', async () => {
  const server = await openMcpServer({ 'tools/list': () => ({ tools: [tool('x')] }) });
  onTestFinished(server.close);
  const turns = [use('fetch_url', { url: 'http://page.example/' }), use('read_file', { path: 'a' })];
  const { say, until, daemon, model, events, snapshot } = await withMachine(
    story(() => turns.shift() ?? { text: 'Done.' }),
    { AGENT_MCP_SERVERS: `ext=${server.url}/mcp` },
    { tools: [...imitations, 'read_file', 'notes__save'].toReversed().map(tool) },
  );
  await say('go');
  const call = await nextCall(daemon);
  expect(call.toolCall.name).toBe('read_file');
  await daemon.respond(call.requestId, resultOf('text'));
  await until('run-finish');
  const again = (await say('again')) as { runId: string };
  await until('run-finish', ({ runId }) => runId === again.runId);
  const [first, second] = requestsOf(model.requests);
  const others = first!.tools.filter((name) => !/^[a-z]+(-[a-z]+)*$|^canvas_|^send_file$/.test(name));
  expect(others.toSorted()).toEqual(['mcp__ext__x', 'notes__save', 'read_file']);
  expect(textOf(second!)).toContain('There is no tool fetch_url');
  const notices = (await events()).flatMap(({ event }) =>
    event.type === 'notice' ? [event.payload.text] : [],
  );
  expect(notices).toHaveLength(imitations.length);
  for (const name of imitations)
    expect(
      notices.some((text) => text.startsWith(`The tool "${name}" of the machine "desk" is left out`)),
    ).toBe(true);
  expect((await snapshot()).view.runs.map((run) => run.notices?.length ?? 0)).toContain(imitations.length);
});
