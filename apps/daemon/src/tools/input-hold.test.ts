import { createFakeClock } from '@drawbridge/kit';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { toLazyTool } from './common/lazy-tool.ts';
import { createDispatch } from './index.ts';
import { textResult } from './common/result.ts';
import { defineTool } from './common/tool.ts';
import { textOf, openTools } from '../../test/support/tool-fixture.ts';

const until = (assertion: () => void) => vi.waitFor(assertion, { timeout: 30_000, interval: 5 });

/** A mouse, a screen, and a tool that asks; `clicks` are those that were made. */
const start = async () => {
  const clock = createFakeClock();
  const { gate, settings, root, toolbox } = await openTools({ modes: { computer: 'allow' }, clock });
  const clicks: string[] = [];
  let releaseWrite = () => {};
  const computer = (name: string, effect: 'reads' | 'destroys') =>
    defineTool({
      name,
      title: '',
      description: '',
      group: 'computer',
      category: 'computer',
      effect,
      input: z.strictObject({ slow: z.boolean().optional() }),
      asks: () => 'Do it?',
      resources: async () => [{ toolGroup: 'computer', resource: 'mouse', description: '' }],
      run: async ({ slow = false }) => {
        if (slow) await new Promise<void>((resolve) => (releaseWrite = resolve));
        clicks.push(name);
        return textResult('ok');
      },
    });
  const tools = [computer('mouse_click', 'destroys'), computer('screen_screenshot', 'reads')].map(toLazyTool);
  const dispatch = createDispatch({
    find: (name) => tools.find(({ descriptor }) => descriptor.name === name) ?? toolbox.find(name),
    gate,
    root,
    privateFolder: settings.folder,
    clock,
  });
  const send = (requestId: string, name: string, args: object, abort = new AbortController()) =>
    dispatch(
      { requestId, toolCall: { name, arguments: { ...args } } },
      {
        tag: 'tag',
        signal: abort.signal,
        progress: () => undefined,
        starting: async () => undefined,
        delivered: Promise.resolve(),
      },
    );
  const write = (more: object = {}) => send('w', 'write_file', { filePath: 'a', content: 'x', ...more });
  return { clock, gate, clicks, send, write, releaseWrite: () => releaseWrite() };
};

it('CF-28 the mouse waits while a question is open, and the screen does not', async () => {
  const { clock, clicks, send, write } = await start();
  expect(textOf(await write())).toContain('GATEWAY_CONFIRMATION_REQUIRED::');
  const click = send('m', 'mouse_click', {});
  await send('s', 'screen_screenshot', {});
  await clock.settle(60_000);
  expect(clicks).toEqual(['screen_screenshot']);
  await write({ _confirmation: 'denyOnce' });
  await clock.settle(1_000);
  expect(textOf(await click)).toBe('ok');
  expect(clicks).toEqual(['screen_screenshot', 'mouse_click']);
});

it('CF-28 continues when the question was withdrawn, and ends when it is cancelled itself', async () => {
  const { clock, gate, clicks, send, write } = await start();
  await write();
  const abort = new AbortController();
  const cancelled = send('m1', 'mouse_click', {}, abort);
  const click = send('m2', 'mouse_click', {});
  await clock.settle(1_000);
  abort.abort();
  expect((await cancelled)._meta).toEqual({ 'drawbridge/outcome': 'cancelled', 'drawbridge/started': false });
  gate.withdraw('w');
  await clock.settle(1_000);
  expect(textOf(await click)).toBe('ok');
  expect(clicks).toEqual(['mouse_click']);
});

it('CF-28 a question goes out when the input that runs has ended', async () => {
  const { clicks, send, write, releaseWrite, gate } = await start();
  const click = send('m', 'mouse_click', { slow: true });
  await until(() => expect(releaseWrite).toBeDefined());
  let isAsked = false;
  const asked = write().then(() => (isAsked = true));
  await until(() => expect(gate.openQuestions()).toBe(1));
  expect([isAsked, clicks]).toEqual([false, []]);
  releaseWrite();
  await Promise.all([click, asked]);
  expect(clicks).toEqual(['mouse_click']);
});
