import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { turnResult } from '@drawbridge/contracts/machines/runtimes';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { nanoid } from 'nanoid';
import type { Modes } from '../../src/permission/index.ts';
import { describeRule, heldRules } from '../../src/permission/settings/rule-list.ts';
import { shared } from './clean-up.ts';
import { makeFolders, openTools } from './tool-fixture.ts';

const standIn = join(import.meta.dirname, 'acp-stand-in.mjs');
const codex = join(import.meta.dirname, 'codex-stand-in.mjs');
const claude = join(import.meta.dirname, 'claude-stand-in.mjs');

type Answer = 'allowOnce' | 'alwaysAllow' | 'denyOnce' | 'none' | 'withdrawn';

const modes: Partial<Modes> = { runtime: 'ask', shell: 'ask', filesystemWrite: 'ask' };

/** The stand-in as a coding agent of the machine, in real walls; `answers` is what the person says to it. */
export const openRuntime = async (folders = makeFolders()) => {
  const settings = join(folders.base, 'settings');
  // Of some programs their records are in the folder of their settings.
  const kept = join(settings, 'kept');
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(folders.outside, 'login'), 'mine');
  writeFileSync(join(folders.outside, 'settings'), 'mine');
  const program = join(folders.base, 'program');
  symlinkSync(process.execPath, program);
  const known = {
    ...{ title: 'Stand-in', command: program, args: [standIn] },
    reads: [standIn, join(folders.outside, 'settings')],
    ...{
      folders: [kept],
      fresh: [settings],
      writes: [join(folders.outside, 'login')],
      refusesFolders: ['.plugins'],
    },
  };
  const runtimes = {
    'acp:stand-in': known,
    'acp:forgets': { ...known, continues: false },
    'acp:codex': { ...known, protocol: 'codex', args: [codex], reads: [codex] },
    'acp:claude': { ...known, protocol: 'claude', args: [claude], reads: [claude] },
  };
  writeFileSync(join(folders.own, 'runtimes.json'), JSON.stringify({ version: 1, runtimes }), {
    mode: 0o600,
  });
  const state = {
    questions: [] as ConfirmationPayload[],
    opened: [] as Record<string, unknown>[],
    output: '',
    /** What its calls say while they wait or work. */
    messages: [] as string[],
    answer: (_question: ConfirmationPayload): Answer => 'allowOnce',
    /** What the person writes with a no. */
    denialReason: undefined as string | undefined,
  };
  const act = async ({ requestId, arguments: args }: NonNullable<ProgressBody['actions']>[number]) => {
    state.opened.push(args);
    const toolCall = { name: 'runtime_action', arguments: args };
    let question = questionOf(await world.send({ requestId, toolCall }));
    // What has changed while it was asked about is asked about anew.
    while (question !== undefined) {
      state.questions.push(question);
      const answer = state.answer(question);
      const { denialReason } = state;
      if (answer === 'withdrawn') return world.toolbox.withdrawn(requestId, denialReason);
      if (answer === 'none') return;
      const answered = { ...toolCall, arguments: { ...args, _confirmation: answer } };
      const { askId } = question;
      const given = { ...(askId && { askId }), ...(denialReason && { denialReason }) };
      question = questionOf(await world.send({ requestId, toolCall: answered, ...given }));
    }
  };
  const world = await openTools({
    ...{ modes, folders },
    progress: ({ actions = [], output = '', message }) => {
      state.output += output;
      if (message !== undefined) state.messages.push(message);
      for (const one of actions) void act(one);
    },
  });
  /** A turn that the person has allowed. */
  const turn = async (
    lines: readonly string[],
    {
      signal,
      caller = 'token:one',
      answer = 'allowOnce',
      ...more
    }: {
      signal?: AbortSignal;
      caller?: string;
      session?: string;
      earlier?: string;
      runtime?: string;
      folder?: string;
      answer?: Answer;
    } = {},
  ): Promise<ToolResult> => {
    const args = { runtime: 'acp:stand-in', prompt: lines.join('\n'), ...more };
    const request = { requestId: nanoid(), caller: { id: caller, name: '' } };
    const toolCall = { name: 'runtime_turn', arguments: args };
    const asked = await world.send({ ...request, toolCall }, signal);
    if (questionOf(asked) === undefined) return asked;
    return world.send(
      { ...request, toolCall: { ...toolCall, arguments: { ...args, _confirmation: answer } } },
      signal,
    );
  };
  const fresh = () =>
    Object.assign(state, {
      ...{
        questions: [],
        opened: [],
        output: '',
        messages: [],
        answer: () => 'allowOnce',
        denialReason: undefined,
      },
    });
  /** The permanent rules, as `drawbridge permissions` lists them. */
  const rules = () => heldRules(world.settings).map(({ rule }) => describeRule(rule).label);
  const { addRules, clearRules } = world.settings;
  return { ...world, kept, settings, program, state, turn, fresh, rules, addRules, clearRules };
};

/** One for all tests of a file, each of which begins in an empty folder. */
export const shareRuntime = () => {
  const opened = shared(() => openRuntime());
  return () => {
    const world = opened();
    for (const name of readdirSync(world.root)) rmSync(join(world.root, name), { recursive: true });
    world.fresh();
    return world;
  };
};

export const turnOf = (result: ToolResult) => turnResult.parse(result.structuredContent);
