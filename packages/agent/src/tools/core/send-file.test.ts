import type { NewArtifact } from '@drawbridge/contracts/agent/canvas';
import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { defaultPolicies } from '@drawbridge/contracts/agent/settings';
import { exportedFileBytes } from '@drawbridge/contracts/tool-result';
import { describe, expect, it } from 'vitest';
import { engineFixture, rowsWithCall } from '../../../test/engine-fixture.ts';
import {
  endedAs,
  exported,
  exporting,
  machineTool,
  machineView,
  workspace,
} from '../../../test/outside-tools.ts';
import { askRow, runRow, toolCallRow } from '../../../test/rows.ts';
import type { MachineCall } from '../../ports/machine.ts';
import { resumeMachineCall } from '../../turns/ends/resume-calls.ts';
import type { ToolCallRow } from '../../rows/rows.ts';

type Changes = NonNullable<Parameters<typeof engineFixture>[1]>;
interface World extends Changes {
  args?: object;
  answer?: AskAnswer;
  groups?: [];
  /** Files that the run has sent before. */
  before?: number[];
}

const fileOf = (bytes: number, at: number) => ({ id: `f${at}`, name: 'b', mediaType: 'text/plain', bytes });

/** One call of `send_file`, as far as it goes. */
const send = async ({ args, answer, groups, before = [], ...changes }: World = {}) => {
  const asked: MachineCall[] = [];
  const call: Partial<ToolCallRow> = {
    tool: 'send_file',
    effect: 'machine',
    requestId: 'r1',
    arguments: JSON.stringify({ from: 'machine', path: 'notes/a.txt', ...args }),
    ...(answer && { askId: 'ask_1' }),
  };
  const rows = rowsWithCall(call);
  const earlier = before.map((bytes, at) =>
    toolCallRow('ann', `tc_0${at}`, {
      tool: 'send_file',
      state: 'ended',
      outcome: 'ok',
      step: 0,
      result: [{ type: 'file', file: fileOf(bytes, at) }],
    }),
  );
  const machine = {
    ...exporting,
    call: (_: string, made: MachineCall) => {
      asked.push(made);
      return exporting.call();
    },
  };
  const world = engineFixture(
    {
      ...rows,
      agentToolCalls: [...rows.agentToolCalls, ...earlier],
      ...(groups && { agentRuns: [runRow('ann', 'run_1', { groups, sender: 'telegram:77' })] }),
      ...(answer && {
        agentAsks: [askRow('ann', 'ask_1', { toolCallId: 'tc_1', state: 'answered', answer })],
      }),
    },
    { machine, ...changes },
  );
  world.ctx.wake('ann', 'ag_1');
  await expect.poll(() => world.log.length).toBeGreaterThan(0);
  const of = async (table: 'agentFiles' | 'agentToolCalls' | 'agentAsks') =>
    world.store.find(table, { userId: 'ann' });
  const text = async () => {
    const [row] = await world.store.find('agentToolCalls', { userId: 'ann', id: 'tc_1' });
    return row?.shown ?? '';
  };
  return { ...world, asked, of, text };
};

const allowed = { config: { policy: { ...defaultPolicies, sendFile: 'always_allow' as const } } };
const approved: AskAnswer = { kind: 'approval', approved: true };

describe('CH-29 a file of the machine', () => {
  it('is asked about, with its path and who gets it, before the machine is', async () => {
    const { log, asked, of } = await send({ args: { name: 'report.txt' } });
    expect([log[0], asked]).toEqual(['confirmation-request', []]);
    expect(await of('agentAsks')).toMatchObject([
      {
        kind: 'approval',
        payload: {
          message: 'Send a file of box to you?',
          approval: { text: 'notes/a.txt\nas report.txt' },
        },
      },
    ]);
  });

  it('is read once the person allows it, and is a file of the chat', async () => {
    const { log, asked, of, store } = await send({ answer: approved });
    expect(log[0]).toBe('tool-result ok');
    expect(asked).toMatchObject([
      { requestId: 'r1', tool: 'export_file', arguments: { filePath: 'notes/a.txt' } },
    ]);
    expect(await of('agentFiles')).toMatchObject([
      { name: 'a.txt', mediaType: 'text/plain', data: btoa('hello'), threadId: 't1' },
    ]);
    const [file] = await store.find('agentFiles', { userId: 'ann' });
    const [call] = await store.find('agentToolCalls', { userId: 'ann' });
    expect(call?.result).toEqual([
      { type: 'text', text: 'Sent to the person as a.txt, 5 bytes.' },
      { type: 'file', file: { id: file?.id, name: 'a.txt', mediaType: 'text/plain', bytes: 5 } },
    ]);
  });

  it('is not read once the person denies it', async () => {
    const { log, asked, of } = await send({ answer: { kind: 'approval', approved: false } });
    expect([log[0], asked, await of('agentFiles')]).toEqual(['tool-error denied', [], []]);
  });

  it('that the machine refuses is not sent', async () => {
    const { content } = exported('leaked');
    const denied = { type: 'text' as const, text: 'Access denied' };
    const refused = { content: [denied, ...content], isError: true };
    const call = () => Promise.resolve(endedAs('failed', { result: refused }));
    const { log, of, text } = await send({ ...allowed, machine: { ...exporting, call } });
    expect([log[0], await of('agentFiles')]).toEqual(['tool-error failed', []]);
    expect(await text()).toContain('Access denied');
  });

  it.each<[string, World]>([
    ['without a machine', { machine: {} }],
    [
      'that a tool of another program would give out',
      {
        machine: {
          ...exporting,
          view: async () => machineView({ ...machineTool('export_file'), isOwn: false }),
        },
      },
    ],
  ])('%s is not asked about', async (_case, world) => {
    const { log, text } = await send({ ...allowed, ...world });
    expect(log[0]).toBe('tool-error failed');
    expect(await text()).toContain('No machine gives out files here');
  });

  it('waits for its question also when the server starts again, and is not asked for twice', async () => {
    const { ctx, log, store } = await send();
    const [call] = await store.find('agentToolCalls', { userId: 'ann', id: 'tc_1' });
    if (!call) throw new Error('the call is there');
    expect(call.state).toBe('waiting');
    expect(await resumeMachineCall(ctx, call)).toEqual([]);
    expect(log.filter((name) => name.startsWith('confirmation'))).toEqual(['confirmation-request']);
  });

  it('whose question a stop withdraws has one end, and no question of a machine', async () => {
    const { ctx, store, log } = await send();
    const agents = await store.find('agentAgents', { userId: 'ann' });
    await ctx.stopAgents(agents, 'cancelled');
    expect(log.filter((name) => name.startsWith('confirmation-closed'))).toHaveLength(1);
  });
});

describe('CH-29 limits of what is sent', () => {
  it.each<[string, World, string]>([
    ['an eleventh file', { before: Array.from({ length: 10 }, () => 1) }, '10 files were sent'],
    ['more than 10 MiB in a run', { before: [exportedFileBytes, 2 * 1024 * 1024 - 3] }, 'too large'],
    [
      'more than 8 MiB, whatever the machine says',
      {
        machine: {
          ...exporting,
          call: () =>
            Promise.resolve(endedAs('succeeded', { result: exported('x'.repeat(exportedFileBytes + 3)) })),
        },
      },
      'too large',
    ],
  ])('%s', async (_case, world, words) => {
    const { log, of, text } = await send({ ...allowed, ...world });
    expect([log[0], await of('agentFiles')]).toEqual(['tool-error failed', []]);
    expect(await text()).toContain(words);
  });

  it.each([
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ann\\a.txt', 'a.txt'],
    ['a\u202egpj.exe\u0000\n', 'agpj.exe'],
    ['x'.repeat(200), 'x'.repeat(128)],
    ['folder/', 'file'],
  ])('the name %j is %j', async (name, expected) => {
    const { of } = await send({ ...allowed, args: { name } });
    expect(await of('agentFiles')).toMatchObject([{ name: expected }]);
  });

  it.each(['text/html; charset=x', 'not a type', 'TEXT/HTML'])(
    'the type %s counts as unknown',
    async (type) => {
      const call = () => Promise.resolve(endedAs('succeeded', { result: exported('x', type) }));
      const { of } = await send({ ...allowed, machine: { ...exporting, call } });
      expect(await of('agentFiles')).toMatchObject([{ mediaType: 'application/octet-stream' }]);
    },
  );
});

describe('CH-29 a document of the canvas', () => {
  it.each<[string, NewArtifact['content'], object]>([
    [
      'note',
      { markdown: 'Größe' },
      { name: 'plan.md', mediaType: 'text/markdown', data: btoa('GrÃ¶Ã\u009fe') },
    ],
    ['chart', { a: 1 }, { name: 'plan.json', mediaType: 'application/json', data: btoa('{\n  "a": 1\n}') }],
  ])('of type %s needs no question', async (type, content, file) => {
    const all = await send({ ...allowed, args: { name: 'first' } });
    await all.ctx.canvas.put('ann', 't1', { artifactId: 'plan', type, content });
    const again = toolCallRow('ann', 'tc_2', {
      tool: 'send_file',
      effect: 'machine',
      requestId: 'r2',
      arguments: '{"from":"canvas","path":"plan"}',
    });
    const world = engineFixture({
      ...rowsWithCall(again),
      agentArtifacts: await all.store.find('agentArtifacts', { userId: 'ann' }),
    });
    world.ctx.wake('ann', 'ag_1');
    await expect.poll(() => world.log[0]).toBe('tool-result ok');
    expect(await world.store.find('agentFiles', { userId: 'ann' })).toMatchObject([file]);
  });

  it('that is not there is a sentence', async () => {
    const { text } = await send({ args: { from: 'canvas' } });
    expect(await text()).toContain('There is no such artifact');
  });
});

describe('CH-29 a file of the workspace', () => {
  const giving = { ...workspace, call: async () => exported('hello', 'image/png') };
  const args = { from: 'workspace' };

  it('needs no question, and is named by its path', async () => {
    const { log, of } = await send({ args, workspace: giving });
    expect(log[0]).toBe('tool-result ok');
    expect(await of('agentFiles')).toMatchObject([{ name: 'a.txt', mediaType: 'image/png' }]);
  });

  it.each<[string, World]>([
    ['is not there on this server', {}],
    ['is not for clients and senders of channels', { workspace: giving, groups: [] }],
    [
      'is switched off by the owner',
      { workspace: giving, config: { policy: { ...defaultPolicies, workspace: 'blocked' } } },
    ],
  ])('%s', async (_case, world) => {
    const { of, text } = await send({ args, ...world });
    expect(await of('agentFiles')).toEqual([]);
    expect(await text()).toContain('There is no workspace here');
  });

  it('whose owner wants to be asked is asked about', async () => {
    const config = { policy: { ...defaultPolicies, workspace: 'require_approval' as const } };
    expect((await send({ args, workspace: giving, config })).log[0]).toBe('confirmation-request');
  });
});
