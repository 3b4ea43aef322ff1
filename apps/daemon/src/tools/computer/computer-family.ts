import { toEntry, type ToolEntry } from '../entry.ts';
import type { FamilyContext, ToolFamily } from '../family.ts';
import { errors } from '../errors.ts';
import type { Device } from './device-process.ts';
import type { OwnInput } from './own-input.ts';

const tryAgainMs = 10_000;

const help: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Start drawbridge in a terminal of the desktop, with an X11 display (DISPLAY). ' +
    'Input needs libXtst (Debian, Ubuntu: apt install libxtst6; Fedora: dnf install libXtst; Arch: pacman -S libxtst).',
  darwin: 'Allow the terminal in System Settings, Privacy & Security: Screen Recording and Accessibility.',
};

/** Screen, mouse and keyboard, where there is a display that answers. A display that went away is looked for again. */
export const computerFamily = ({ ownInput }: { ownInput: OwnInput }): ToolFamily => {
  let device: Device | undefined;
  let reason: string | null = null;
  let closed = false;
  let stopTrying = () => {};

  let tools: readonly ToolEntry[] = [];

  const start = async (context: FamilyContext): Promise<void> => {
    const lost = () => {
      device = undefined;
      reason = 'the display went away';
      context.changed();
      const again = async () => {
        await start(context);
        if (device !== undefined) context.changed();
        else stopTrying = context.clock.after(tryAgainMs, () => void again());
      };
      stopTrying = context.clock.after(tryAgainMs, () => void again());
    };
    const { openDevice } = await import('./device-process.ts');
    const opened = await openDevice({ clock: context.clock, lost });
    if (opened.kind === 'missing') reason = opened.reason.slice(0, 160);
    else if (closed) opened.device.close();
    else {
      device = opened.device;
      reason = null;
    }
  };

  return {
    category: 'computer',
    groups: ['computer'],
    open: async (context) => {
      const { createComputerTools } = await import('./tools.ts');
      const all = createComputerTools({
        device: () => {
          if (device === undefined) throw errors.computerFailed();
          return device;
        },
        ownInput,
      });
      tools = all.map(toEntry);
      await start(context);
    },
    tools: () => (device === undefined ? [] : tools),
    missing: () =>
      reason === null
        ? null
        : `Screen, mouse and keyboard are not offered: ${reason}. ${help[process.platform] ?? ''}`.trim(),
    close: async () => {
      closed = true;
      stopTrying();
      device?.close();
      device = undefined;
    },
  };
};
