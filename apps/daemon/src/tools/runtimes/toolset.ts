import { ownCommand } from '../../program/own-command.ts';
import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import type { Toolset, ToolsetContext } from '../common/toolset.ts';
import type { NetworkNeeds } from '../shell/network/command-egress.ts';
import type { OpenSandbox } from '../shell/toolset.ts';
import { openRuntimes } from './runtimes-file.ts';

export interface RuntimesToolsetNeeds extends Omit<NetworkNeeds, 'clock' | 'access' | 'territory'> {
  openSandbox: OpenSandbox;
  notify(sentence: string): void;
}

const noneEnabled = () =>
  `No coding agent is enabled here; the user runs ${ownCommand('runtimes enable <name>')} on this machine.`;
const linuxOnly = 'Coding agents need the sandbox for commands on Linux, and are not offered on this system.';

/** Not before one is enabled: most machines have none. What they hold lasts while the toolset is open. */
const loadTools = async () => {
  const [{ createTurnTool, createSessions }, { createActionTool }, { createOpenActions }] = await Promise.all(
    [import('./turn-tool.ts'), import('./actions/action-tool.ts'), import('./actions/open-actions.ts')],
  );
  const actions = createOpenActions();
  const action = { ...toLazyTool(createActionTool(actions)), answered: actions.answered };
  return { createTurnTool, sessions: createSessions(), actions, action };
};

/** Coding agents that the owner of this machine has enabled, each in the walls of commands. */
export const runtimesToolset = ({ openSandbox, notify, ...outside }: RuntimesToolsetNeeds): Toolset => {
  let tools: LazyTool[] = [];
  let missing: string | null = null;
  let stopWatching = () => {};
  let off = new AbortController();
  let withdrawn: (requestId: string, denialReason?: string) => void = () => {};

  const open = async (context: ToolsetContext): Promise<void> => {
    const { prepare, reason } = await openSandbox(context);
    if (reason !== null) {
      missing = `Coding agents need the sandbox for commands: ${reason}`.slice(0, 500);
      return;
    }
    const { root, privateFolder, clock, access } = context;
    const network = { ...outside, clock, access, territory: { root, privateFolder } };
    let loading: ReturnType<typeof loadTools> | undefined;
    const file = await openRuntimes(privateFolder, clock);
    const read = async () => {
      off.abort();
      const current = new AbortController();
      off = current;
      const runtimes = await file.read();
      // The first one loads the tools: the file may be read again meanwhile.
      const loaded = runtimes.size === 0 ? undefined : await (loading ??= loadTools());
      if (current.signal.aborted) return;
      if (loaded === undefined) {
        missing = noneEnabled();
        tools = [];
        return;
      }
      const { createTurnTool, sessions, actions, action } = loaded;
      ({ withdrawn } = actions);
      const turn = createTurnTool({ runtimes, actions, prepare, network, sessions, off: current.signal });
      missing = null;
      tools = [toLazyTool(turn), action];
    };
    const refuse = (error: unknown) => {
      missing = (error instanceof Error ? error.message : 'runtimes.json cannot be used').slice(0, 500);
      tools = [];
      notify(missing);
    };
    await read().catch(refuse);
    stopWatching = file.watch(() => void read().catch(refuse).then(context.changed));
  };

  return {
    category: 'runtime',
    groups: ['runtime'],
    endsWhenOff: true,
    open: async (context) => {
      if (process.platform === 'linux') await open(context);
      else missing = linuxOnly;
    },
    tools: () => tools,
    missing: () => missing,
    withdrawn: (requestId, denialReason) => withdrawn(requestId, denialReason),
    close: async () => {
      stopWatching();
      off.abort();
    },
  };
};
