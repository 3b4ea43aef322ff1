import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { requestsOf, story, textOf, use } from '../../../test/agent-turns.ts';
import { withAgent } from '../../../test/agent.ts';

const write = use('workspace_write_file', { filePath: 'a.txt', content: 'from the chat' });
const shell = use('workspace_shell_execute', { command: 'cat a.txt; hostname' });
const local = { AGENT_WORKSPACE: 'local' };
const workspaceTools = ({ tools }: { tools: string[] }) =>
  tools.filter((name) => name.startsWith('workspace_'));

describeWith('bubblewrap')('the workspace of a chat', () => {
  it('is worked in with calls that are recorded, and is removed with the chat', async () => {
    const world = await withAgent(story([write, shell, { text: 'Done.' }]), local);
    const { say, until, model, agent, userId, snapshot, server } = world;
    await say('write');
    await until('run-finish');
    const last = requestsOf(model.requests).at(-1)!;
    expect(textOf(last)).toMatch(/from the chat.*workspace/);
    const { view } = await snapshot();
    const calls = Object.values(view.calls).toSorted((one, other) => one.startedAt - other.startedAt);
    expect(calls.map(({ toolName, outcome }) => [toolName, outcome])).toEqual([
      ['workspace_write_file', 'ok'],
      ['workspace_shell_execute', 'ok'],
    ]);
    const [user = ''] = readdirSync(join(server.dataDir, 'workspaces'));
    const folder = join(server.dataDir, 'workspaces', user);
    expect(readdirSync(folder)).toHaveLength(1);
    await agent.threads.remove(userId, 'thread');
    expect([existsSync(folder), readdirSync(folder)]).toEqual([true, []]);
  });

  it('NA-13e is removed with all chats, whatever a command has made in one of them', async () => {
    const deep =
      'n=$(head -c 200 /dev/zero | tr "\\0" d); for i in $(seq 30); do mkdir $n; cd -P $n; done; mkdir x; chmod 000 x';
    const make = use('workspace_shell_execute', { command: deep });
    const { say, until, userId, agent, panel, server } = await withAgent(
      story([make, { text: 'Done.' }]),
      local,
    );
    await say('make');
    await until('run-finish');
    await agent.threads.create(userId, 'other');
    await panel.agent.threads.removeAll.mutate();
    const base = join(server.dataDir, 'workspaces');
    expect(readdirSync(base).flatMap((user) => readdirSync(join(base, user)))).toEqual([]);
    expect((await agent.threads.list(userId, { limit: 5 })).threads).toEqual([]);
  });

  it('is asked about where the owner wants that, and not offered where it is off', async () => {
    const { say, until, model, agent, userId, panel } = await withAgent(
      story([write, { text: 'Done.' }, { text: 'None.' }]),
      local,
    );
    const { settings } = panel.agent;
    await settings.change.mutate({ policy: { workspace: 'require_approval' } });
    await say('write');
    const { payload } = await until('confirmation-request');
    expect(payload.message).toBe('Use write_file in the workspace of this chat?');
    await agent.confirm(userId, payload.requestId, { kind: 'approval', approved: true });
    await until('run-finish');
    expect(workspaceTools(requestsOf(model.requests)[0]!)).toHaveLength(13);

    const off = await settings.change.mutate({ policy: { workspace: 'blocked' } });
    expect(off.fromEnvironment).toContain('workspaces');
    expect(off.workspace).toEqual({ isOn: true, problem: null });
    await say('again');
    await expect.poll(() => requestsOf(model.requests)).toHaveLength(3);
    expect(workspaceTools(requestsOf(model.requests)[2]!)).toEqual([]);
  });

  it('is not there until the owner turns it on, and goes with its chat while it is off', async () => {
    const world = await withAgent(story([{ text: 'None.' }, write, { text: 'Done.' }, { text: 'None.' }]));
    const { say, model, agent, userId, panel, server } = world;
    const { settings } = panel.agent;
    const tools = async (request: number) => {
      await expect.poll(() => requestsOf(model.requests).length).toBeGreaterThan(request);
      return workspaceTools(requestsOf(model.requests)[request]!).length;
    };
    expect((await settings.get.query()).workspace).toEqual({ isOn: false, problem: null });
    await say('hello');
    expect(await tools(0)).toBe(0);

    const on = await settings.change.mutate({ workspaces: 'local' });
    expect(on).toMatchObject({ workspaces: 'local', workspace: { isOn: true, problem: null } });
    await say('write');
    expect(await tools(2)).toBe(13);

    expect(await settings.change.mutate({ workspaces: null })).toMatchObject({ workspaces: 'none' });
    await say('again');
    expect(await tools(3)).toBe(0);
    const [user = ''] = readdirSync(join(server.dataDir, 'workspaces'));
    const folder = join(server.dataDir, 'workspaces', user);
    expect(readdirSync(folder)).toHaveLength(1);
    await agent.threads.remove(userId, 'thread');
    expect(readdirSync(folder)).toEqual([]);
  });
});
