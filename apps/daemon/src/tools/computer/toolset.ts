import { sleep } from '@drawbridge/kit';
import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import type { ToolsetContext, Toolset } from '../common/toolset.ts';
import { errors } from '../common/errors.ts';
import type { Device } from './device-process.ts';
import type { OwnInput } from './own-input.ts';

const tryAgainMs = 10_000;

const help: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Start drawbridge in a terminal of the desktop, with an X11 display (DISPLAY). ' +
    'Input needs libXtst (Debian, Ubuntu: apt install libxtst6; Fedora: dnf install libXtst; Arch: pacman -S libxtst).',
  darwin: 'Allow the terminal in System Settings, Privacy & Security: Screen Recording and Accessibility.',
};

/** Screen, mouse and keyboard, where a display answers. A lost display is retried. */
export const computerToolset = ({ ownInput }: { ownInput: OwnInput }): Toolset => {
  let device: Device | undefined;
  let reason: string | null = null;
  const stopping = new AbortController();

  let tools: readonly LazyTool[] = [];

  const start = async (context: ToolsetContext): Promise<void> => {
    const lost = () => {
      device = undefined;
      reason = 'the display went away';
      context.changed();
      retry(context).catch(() => undefined);
    };
    const { openDevice } = await import('./device-process.ts');
    const opened = await openDevice({ clock: context.clock, lost });
    if (opened.kind === 'missing') reason = opened.reason.slice(0, 160);
    else if (stopping.signal.aborted) opened.device.close();
    else {
      device = opened.device;
      reason = null;
    }
  };

  const retry = async (context: ToolsetContext): Promise<void> => {
    while (device === undefined) {
      await sleep(context.clock, tryAgainMs, stopping.signal);
      await start(context);
    }
    context.changed();
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
      tools = all.map(toLazyTool);
      await start(context);
    },
    tools: () => (device === undefined ? [] : tools),
    missing: () =>
      reason === null
        ? null
        : `Screen, mouse and keyboard are not offered: ${reason}. ${help[process.platform] ?? ''}`.trim(),
    close: async () => {
      stopping.abort();
      device?.close();
      device = undefined;
    },
  };
};
