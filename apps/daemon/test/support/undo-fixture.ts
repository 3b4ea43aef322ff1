import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { questionOf } from '@drawbridge/contracts/confirmation-text';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { everythingAllowed, openTools, type ToolsOptions } from './tool-fixture.ts';

/** Tools over a folder with `a.txt`, `d/b` and `d/e/c`, whose changes are kept. */
export const openUndo = async (options: ToolsOptions = {}) => {
  const world = await openTools({ modes: everythingAllowed, keeps: {}, ...options });
  const path = (name: string) => join(world.root, name);
  writeFileSync(path('a.txt'), 'first\n');
  mkdirSync(path('d/e'), { recursive: true });
  for (const name of ['d/b', 'd/e/c']) writeFileSync(path(name), name);
  let calls = 0;
  /** Runs a call and gives its id. */
  const run = async (
    tool: string,
    args: Record<string, unknown>,
    caller = { id: 'token:1', name: 'One' },
  ) => {
    const requestId = `call-${(calls += 1)}`;
    const result = await world.send({ requestId, toolCall: { name: tool, arguments: args }, caller });
    return { requestId, result };
  };
  const undo = async (change?: string, more = {}) =>
    (await run('undo_change', { ...(change && { change }), ...more })).result;
  const held = (name: string) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : null);
  /** The same where it is asked about, and allowed. */
  const runAllowed = async (tool: string, args: Record<string, unknown>) => {
    const { requestId } = await run(tool, args);
    const toolCall = { name: tool, arguments: { ...args, _confirmation: 'allowOnce' } };
    const result = await world.send({ requestId, toolCall, caller: { id: 'token:1', name: 'One' } });
    return { requestId, result };
  };
  const kept = () => {
    const folder = join(world.settings.folder, 'kept');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  return { ...world, path, run, runAllowed, undo, held, kept };
};

/** What a person reads of a question. */
export const asked = (result: ToolResult) => {
  const question = questionOf(result);
  return question && { title: question.title, preview: question.preview, resource: question.resource };
};
