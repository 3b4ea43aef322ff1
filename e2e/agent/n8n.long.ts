import { verifyReply } from '@drawbridge/contracts/agent/settings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProcesses, until } from '../harness/index.ts';
import { byCase, type Step } from './crash-script.ts';
import { installN8n, startN8n, type N8n } from './n8n-service.ts';
import type { Turn } from './scripted-model.ts';
import { startWorld, textOf, use, type World } from './world.ts';

const folder = process.env['DRAWBRIDGE_N8N'];
const installed = folder === undefined ? 'DRAWBRIDGE_N8N names no folder for n8n' : installN8n(folder);

const webhook = {
  ...{ id: 'w', name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2, position: [0, 0] },
  ...{ webhookId: 'hook', parameters: { path: 'hook', httpMethod: 'GET', responseMode: 'lastNode' } },
};
const answerOf = (value: string) => ({
  ...{ id: 's', name: 'Answer', type: 'n8n-nodes-base.set', typeVersion: 3.4, position: [200, 0] },
  parameters: { assignments: { assignments: [{ id: 'a', name: 'answer', type: 'string', value }] } },
});
const connections = { Webhook: { main: [[{ node: 'Answer', type: 'main', index: 0 }]] } };
const workflow = { name: 'Reply', nodes: [webhook, answerOf('forty-one')], connections };

const answered = Promise.withResolvers<void>();
const fieldOf = (text: string | undefined, name: string) =>
  new RegExp(`"${name}":"([^"]+)"`).exec(text ?? '')?.[1];

/** What the model does after each result. */
const steps: ((results: string[]) => Turn)[] = [
  () => use('n8n_list_workflows'),
  () => use('n8n_create_workflow', workflow),
  ([, made]) => use('n8n_get_workflow', { id: fieldOf(made, 'id') }),
  ([, made, read]) =>
    use('n8n_update_workflow', {
      id: fieldOf(made, 'id'),
      version: fieldOf(read, 'version'),
      nodes: [webhook, answerOf('forty-two')],
    }),
  ([, made, read]) =>
    use('n8n_update_workflow', {
      id: fieldOf(made, 'id'),
      version: fieldOf(read, 'version'),
      name: 'Late',
    }),
  ([, made]) => use('n8n_activate_workflow', { id: fieldOf(made, 'id') }),
  ([, made]) => ({
    ...use('n8n_list_executions', { workflowId: fieldOf(made, 'id'), status: 'success' }),
    until: answered.promise,
  }),
  (results) => use('n8n_get_execution', { id: fieldOf(results[6], 'id') }),
  (results) => use('n8n_retry_execution', { id: fieldOf(results[6], 'id') }),
  () => use('n8n_credential_schema', { type: 'httpBasicAuth' }),
  ([, made]) => use('n8n_deactivate_workflow', { id: fieldOf(made, 'id') }),
  ([, made]) => use('n8n_delete_workflow', { id: fieldOf(made, 'id') }),
];
const { script } = byCase({
  works: ({ results }: Step) => steps[results.length]?.(results) ?? { text: 'Done.' },
});

const describeN8n = typeof installed === 'string' ? describe.skip : describe;
describeN8n(`a real n8n ${typeof installed === 'string' ? `[${installed}]` : ''}`, () => {
  const processes = createProcesses();
  let n8n: N8n;
  let world: World;

  /** Answers the question about this tool. */
  const decide = async (tool: string, approved: boolean) => {
    const thread = world.thread('n8n');
    const ask = await until(async () => (await thread.asks()).find(({ toolName }) => toolName === tool));
    expect(await thread.answer(ask.requestId, { kind: 'approval', approved })).toBe(200);
    return ask;
  };

  beforeAll(async () => {
    if (typeof installed === 'string') return;
    [n8n, world] = await Promise.all([startN8n(processes, installed), startWorld(script)]);
    await world.send('PATCH', '/settings', { n8nUrl: n8n.url });
    await world.send('PATCH', '/settings/user-keys', { n8n: n8n.key });
  });
  afterAll(async () => {
    await processes.stopAll();
    await world?.stop();
  });

  it('accepts the key, and offers all tools but the one that runs a workflow', async () => {
    const { lines } = verifyReply.parse(await (await world.send('POST', '/settings/verify/domain')).json());
    expect(lines.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(lines.at(-1)?.text).toBe('14 of 15 tools are available with this key.');
  });

  it('is read unasked and written with a question each', async () => {
    const thread = world.thread('n8n');
    await thread.say('case:works');
    expect((await decide('n8n_create_workflow', true)).message).toBe(
      'Create the workflow "Reply" with 2 nodes in n8n.',
    );
    await decide('n8n_update_workflow', true);
    await decide('n8n_update_workflow', true);
    await decide('n8n_activate_workflow', true);
    const said = await until(async () => {
      const reply = await fetch(`${n8n.url}/webhook/hook`);
      return reply.ok && reply.text();
    });
    expect(JSON.parse(said)).toEqual({ answer: 'forty-two' });
    await until(async () => JSON.stringify(await n8n.api('executions')).includes('"success"'));
    answered.resolve();
    await decide('n8n_retry_execution', true);
    await decide('n8n_deactivate_workflow', true);
    expect((await decide('n8n_delete_workflow', false)).severity).toBe('destructive');
    expect((await thread.until('run-finish')).payload.status).toBe('completed');
  });

  it('has changed as the agent was told, and no further', async () => {
    const thread = world.thread('n8n');
    const failed = (await thread.of('tool-error')).map(({ payload }) => payload.error);
    expect(failed).toEqual([
      expect.stringContaining('The workflow has changed since it was read'),
      expect.stringContaining('The execution succeeded, so it cannot be retried.'),
      expect.stringContaining('denied this'),
    ]);
    const last = textOf(world.requestsOf('works').at(-1)!);
    for (const text of ['"workflows":[]', 'forty-two', '"password":{"type":"string"}'])
      expect(last).toContain(JSON.stringify(text).slice(1, -1));
    expect(last).not.toContain(n8n.key);
    expect(await n8n.api('workflows')).toMatchObject({ data: [{ name: 'Reply', active: false }] });
  });
});
