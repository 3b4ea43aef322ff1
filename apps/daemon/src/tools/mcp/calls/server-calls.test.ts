import { inputRequired, inputRequiredMeta } from '@drawbridge/contracts/client-input';
import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { RunContext } from '../../common/tool.ts';
import type { OfferedTool } from '../offered-tools.ts';
import { createServerCalls } from './server-calls.ts';

const form = {
  message: 'Who?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } } },
};
const tool = { own: 'echo' } as OfferedTool;
const methods = ['elicitation/create' as const];

const open = () => {
  const clock = createFakeClock();
  const ends: (() => void)[] = [];
  const calls = createServerCalls({
    clock,
    name: 'own',
    trouble: () => null,
    connection: () => ({
      list: async () => ({ tools: [], cut: false }),
      call: (_tool, _args, { signal }) =>
        new Promise((resolve, reject) => {
          ends.push(() => resolve({ content: [] }));
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
      closed: new Promise(() => {}),
      close: async () => {},
    }),
  });
  const context = {
    signal: new AbortController().signal,
    progress: () => {},
  } as unknown as RunContext;
  const call = (requestState?: string) =>
    calls.call(
      tool,
      { args: {}, input: { methods, ...(requestState !== undefined && { requestState }) } },
      context,
    );
  const stateOf = (result: ToolResult) =>
    inputRequired.parse(result._meta?.[inputRequiredMeta]).requestState ?? '';
  /** A call that has asked, and ended before it was answered. */
  const askAndEnd = async () => {
    const calling = call();
    void calls.asked(form, new AbortController().signal);
    const state = stateOf(await calling);
    ends.at(-1)?.();
    await clock.settle();
    return state;
  };
  return { clock, calls, call, ends, askAndEnd };
};

it('4 calls of a server are held; one more is told that there is no answer, until one is fetched or too old', async () => {
  const { clock, calls, call, ends, askAndEnd } = open();
  const states = [];
  for (let at = 0; at < 4; at += 1) states.push(await askAndEnd());
  const fifth = call();
  expect(await calls.asked(form, new AbortController().signal)).toEqual({ action: 'cancel' });
  ends.at(-1)?.();
  expect((await fifth).content).toEqual([
    {
      type: 'text',
      text: 'The MCP server own asked a question and got no answer: too many of its calls wait for an answer.',
    },
  ]);
  expect(await call(states[0])).toEqual({ content: [] });
  await askAndEnd();
  await clock.settle(5 * 60_000);
  await expect(call(states[1])).rejects.toThrow('not open any more');
  await askAndEnd();
  calls.close();
  expect(clock.waiting()).toBe(0);
});

it('while it waits for its client a call is not silent; when it goes on, it is', async () => {
  const { clock, calls, call, ends } = open();
  const calling = call();
  const answered = calls.asked(form, new AbortController().signal);
  const state = inputRequired.parse((await calling)._meta?.[inputRequiredMeta]).requestState ?? '';
  expect(clock.waiting()).toBe(1);
  const going = calls.call(
    tool,
    { args: {}, input: { methods, requestState: state, responses: { question: { action: 'decline' } } } },
    { signal: new AbortController().signal, timeoutMs: 50, progress: () => {} } as unknown as RunContext,
  );
  expect(await answered).toEqual({ action: 'decline' });
  await clock.settle(50);
  expect(await going).toMatchObject({ _meta: { 'drawbridge/outcome': 'lost' } });
  expect(ends).toHaveLength(1);
});
