import { expect, it, vi } from 'vitest';
import { createTerminalOutput } from '../../terminal/terminal-output.ts';
import { offerToInstall } from './install-offer.ts';

const given = vi.hoisted(() => ({ answer: null as boolean | null }));
vi.mock(import('../common/command.ts'), async (actual) => ({
  ...(await actual()),
  askYesOrNo: async () => given.answer,
}));
vi.mock(import('../installation/install.ts'), async (actual) => ({
  ...(await actual()),
  isFromNpx: async () => true,
}));

const offer = () =>
  offerToInstall({
    environment: { privateFolder: '/nowhere' } as never,
    release: { version: '0.1.0' },
    terminal: createTerminalOutput({ write: () => {}, colours: false }),
    wanted: null,
    ask: true,
  });

it('Ctrl-C at the offer ends the program, and a no goes on', async () => {
  await expect(offer()).rejects.toThrow('Not connected');
  given.answer = false;
  await expect(offer()).resolves.toBe(undefined);
});
