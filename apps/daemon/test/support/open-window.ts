import { createServer } from 'node:net';
import { expect, vi } from 'vitest';
import { cleanUp } from './clean-up.ts';
import { textOf, openTools } from './tool-fixture.ts';
import { startDisplay, startWindow } from './display.ts';

/** The tools, all allowed, with a display of their own; `ok` runs one that must do what it was told. */
export const openComputer = async () => {
  const display = await startDisplay();
  const world = await openTools({ modes: { computer: 'allow' } });
  const ok = async (tool: string, args: Record<string, unknown>) =>
    expect(textOf(await world.call(tool, args))).toBe('ok');
  return { ...world, display, ok };
};

/** Waits until no other process has a window open; the name of the socket is free when its process ends. */
const takeTurn = async (): Promise<void> => {
  const server = createServer();
  const listen = () =>
    new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen('\0drawbridge-test-window', () => resolve()),
    );
  await vi.waitFor(listen, { timeout: 120_000, interval: 200 });
  cleanUp(() => server.close());
};

/** The same, with a window that has the keyboard: one at a time, also of files that run side by side. */
export const openWindow = async () => {
  await takeTurn();
  const world = await openComputer();
  const window = await startWindow();
  await vi.waitFor(() => expect(window.of('ready').length).toBeGreaterThan(0), { timeout: 60_000 });
  // The window has the keyboard once something was clicked in it.
  await vi.waitFor(
    async () => {
      await world.ok('mouse_click', { x: 100, y: 100 });
      expect(window.of('mouseup').length).toBeGreaterThan(0);
    },
    { timeout: 60_000, interval: 500 },
  );
  window.events.length = 0;
  // Clicks from before may still be on their way; all others are elsewhere.
  const of = (type: string) => window.of(type).filter(({ x, y }) => x !== 100 || y !== 100);
  return { ...world, ...window, of };
};
