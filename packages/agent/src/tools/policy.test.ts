import type { AgentAction, AgentPolicy } from '@drawbridge/contracts/agent/settings';
import { defaultPolicies } from '@drawbridge/contracts/agent/settings';
import { describe, expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../test/engine-fixture.ts';
import { domainWith, exporting, mcpTool, workspace } from '../../test/outside-tools.ts';
import { askRow, messageRow } from '../../test/rows.ts';
import type { AgentNeeds } from '../ports/needs.ts';
import { OutsideError } from '../ports/outside.ts';
import type { Effect, ToolCallRow } from '../rows/rows.ts';

const n8n = domainWith(() => Promise.resolve({ text: 'deleted' }));
const helper = { role: 'r', instructions: 'child' };

/** One call for each action of the policy. */
const uses: Record<AgentAction, [tool: string, args: object]> = {
  fetchUrl: ['fetch-url', { url: 'http://page.example/' }],
  webSearch: ['web-search', { query: 'q' }],
  executeMcpTool: ['mcp__bell__ring', {}],
  remember: ['remember', { section: 'notes', mode: 'add', text: 'a' }],
  delegate: ['delegate', helper],
  background: ['delegate', { ...helper, background: true }],
  domainWrite: ['n8n_delete_workflow', {}],
  workspace: ['workspace_read_file', {}],
  sendFile: ['send_file', { from: 'machine', path: 'a.txt' }],
};

const effects: Partial<Record<AgentAction, Effect>> = {
  fetchUrl: 'read',
  webSearch: 'read',
  executeMcpTool: 'outside',
  workspace: 'read',
  domainWrite: 'outside',
  sendFile: 'machine',
};

/** What a call of that action leads to first, where the owner's policy says so. */
const outcomeOf = async (action: AgentAction, policy: AgentPolicy): Promise<string | undefined> => {
  const [tool, args] = uses[action];
  const effect = effects[action] ?? 'own';
  const person = messageRow('ann', 1, { parts: [{ type: 'text', text: 'Read page.example' }] });
  const rows = rowsWithCall({ tool, effect, arguments: JSON.stringify(args) });
  const page = { url: 'http://page.example/', title: '', markdown: 'text' };
  const { ctx, log } = engineFixture(
    { ...rows, agentMessages: [person] },
    {
      config: { policy: { ...defaultPolicies, [action]: policy } },
      web: { refusal: () => null, fetch: () => Promise.resolve({ kind: 'page', page }) },
      search: { isOn: () => Promise.resolve(true), search: () => Promise.resolve([]) },
      mcp: { tools: () => Promise.resolve([mcpTool]), call: () => Promise.resolve({ content: [] }) },
      domains: [n8n],
      workspace,
      machine: exporting,
    },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log.length).toBeGreaterThan(0);
  return log[0];
};

describe('the policy of the owner', () => {
  const actions = Object.keys(uses) as AgentAction[];

  it.each(actions)('require_approval: %s asks', async (action) => {
    expect(await outcomeOf(action, 'require_approval')).toBe('confirmation-request');
  });

  it.each(actions)('always_allow: %s runs', async (action) => {
    const started = action === 'delegate' ? 'agent-spawned' : 'tool-result ok';
    expect(await outcomeOf(action, 'always_allow')).toBe(started);
  });

  it.each(actions)('blocked: %s is not there', async (action) => {
    // The tool `delegate` is there for those that are not in the background.
    const refused = action === 'background' ? 'tool-error denied' : 'tool-error failed';
    expect(await outcomeOf(action, 'blocked')).toBe(refused);
  });

  it('always_allow does not put a snapshot in place of a workspace unasked', async () => {
    const rows = rowsWithCall({
      tool: 'workspace_restore_snapshot',
      effect: 'outside',
      arguments: '{"name":"a"}',
    });
    const tools = () => [
      { name: 'restore_snapshot', description: '', inputSchema: {}, isReading: false, isDestructive: true },
    ];
    const { ctx, log } = engineFixture(rows, {
      config: { policy: { ...defaultPolicies, workspace: 'always_allow' } },
      workspace: { ...workspace, tools },
    });
    ctx.wake('ann', 'ag_1');
    await expect.poll(() => log[0]).toBe('confirmation-request');
  });

  it('always_allow does not write to memory unasked what came from outside', async () => {
    const [tool, args] = uses.remember;
    const rows = rowsWithCall({ tool, effect: 'own', arguments: JSON.stringify(args) });
    const agentAgents = rows.agentAgents.map((agent) => ({ ...agent, tainted: true }));
    const { ctx, log } = engineFixture({ ...rows, agentAgents });
    ctx.wake('ann', 'ag_1');
    await expect.poll(() => log[0]).toBe('confirmation-request');
  });
});

it.each<[string, Partial<ToolCallRow>, Pick<Partial<AgentNeeds>, 'mcp' | 'domains'>]>([
  [
    `mcp:${mcpTool.server}/${mcpTool.tool}`,
    { tool: mcpTool.name, effect: 'outside' },
    {
      mcp: {
        tools: () => Promise.resolve([mcpTool]),
        call: () => Promise.reject(new OutsideError('It is down.')),
      },
    },
  ],
  [
    'domain:n8n_write',
    { tool: 'n8n_write', effect: 'outside' },
    {
      domains: [
        domainWith(() => Promise.reject(new Error('a defect')), { name: 'n8n_write', effect: 'write' }),
      ],
    },
  ],
])('the grant %s of an approved call that fails is kept', async (key, call, needs) => {
  const ask = askRow('ann', 'ask_1', {
    toolCallId: 'tc_1',
    state: 'answered',
    answer: { kind: 'approval', approved: true, scope: 'session' },
  });
  const { ctx, store, log } = engineFixture(
    { ...rowsWithCall({ ...call, askId: 'ask_1' }), agentAsks: [ask] },
    needs,
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log[0]).toBe('tool-error failed');
  expect(await store.find('agentGrants', { userId: 'ann' })).toMatchObject([{ threadId: 't1', key }]);
});

it('SS-08 a page may lead to its own host alone, and to no sub-domain', async () => {
  const asked: boolean[] = [];
  const rows = rowsWithCall({ tool: 'fetch-url', arguments: '{"url":"http://page.example/"}' });
  const person = messageRow('ann', 1, { parts: [{ type: 'text', text: 'Read page.example' }] });
  const { ctx, log } = engineFixture(
    { ...rows, agentMessages: [person] },
    {
      config: { policy: { ...defaultPolicies, fetchUrl: 'always_allow' } },
      web: {
        refusal: () => null,
        fetch: (_, { mayFollow }) => {
          for (const host of ['page.example', 'sub.page.example', 'example', 'evil.example'])
            asked.push(mayFollow(new URL(`http://${host}/`)));
          return Promise.resolve({ kind: 'redirect', url: 'http://evil.example/' });
        },
      },
    },
  );
  ctx.wake('ann', 'ag_1');
  await expect.poll(() => log[0]).toBe('tool-result ok');
  expect(asked).toEqual([true, false, false, false]);
});
