import { expect, it } from 'vitest';
import type { ActionRequest } from '../driver.ts';
import type { PermissionRequest } from './frames.ts';
import { createTurn } from './turn.ts';

const once = [
  { optionId: 'yes', kind: 'allow_once' },
  { optionId: 'no', kind: 'reject_once' },
];
const always = [{ optionId: 'always', kind: 'allow_always' }];
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };

/** The answer to one request, which the person would allow, and what they are asked. */
const answer = async (toolCall: Partial<PermissionRequest['toolCall']>, options = once) => {
  const asked: ActionRequest[] = [];
  const ask = async (request: ActionRequest) => {
    asked.push(request);
    return { allow: true as const };
  };
  const form = async () => ({ withdrawn: true as const });
  const turn = createTurn({ events: { event: () => {}, ask, form }, mode: 'default', fail: () => {} });
  const request = { sessionId: 's1', toolCall: { toolCallId: 't1', ...toolCall }, options };
  return { said: await turn.permission(request, new AbortController().signal), asked: asked.length };
};

it.each([
  ['a command', { kind: 'execute', rawInput: { command: 'ls' } }, once, selected('yes')],
  ['a change of its mode', { kind: 'switch_mode' }, once, selected('no')],
  ['a change of files without its content', { kind: 'edit' }, once, selected('no')],
  [
    'a change of which a part has no content',
    {
      kind: 'edit',
      content: [
        { type: 'diff', path: '/a', newText: 'x' },
        { type: 'diff', path: '/b' },
      ],
    },
    once,
    selected('no'),
  ],
  ['more than this once', { kind: 'execute', rawInput: { command: 'ls' } }, always, cancelled],
])('RT-03 %s', async (_name, toolCall, options, said) => {
  const isYes = JSON.stringify(said) === JSON.stringify(selected('yes'));
  expect(await answer(toolCall, options)).toEqual({ said, asked: isYes ? 1 : 0 });
});
