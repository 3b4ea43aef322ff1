import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import { createProcessHosts, type ProcessHosts } from '../common/network/process-hosts.ts';
import type { Surroundings } from './asked-command.ts';
import type { NetworkNeeds } from './network/command-egress.ts';
import type { Toolset, ToolsetContext } from '../common/toolset.ts';
import type { Launcher } from './launch.ts';
import type { FailedCommands } from './outside/failed-commands.ts';
import type { ProcessToolset } from './processes/index.ts';

const withoutSandboxWarning =
  'Commands run without a sandbox: they can do whatever you can do on this machine.';

const help: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap). ' +
    'Where it is installed, the system must let programs make user namespaces; a container needs that from its host.',
  darwin: 'It needs /usr/bin/sandbox-exec, which comes with macOS.',
};

export interface ShellOptions extends Pick<NetworkNeeds, 'serverUrl' | 'resolve' | 'dial' | 'authorities'> {
  openSandbox?: OpenSandbox;
  /** False is the person's own choice. */
  sandbox: boolean;
  /** The person's own choice too; off where nothing is said. */
  offerOutside?: boolean | undefined;
  ownPorts?: NetworkNeeds['ownPorts'];
  processHosts?: ProcessHosts;
}

/** The sandbox of one root: what prepares each command, and why it cannot be used here. */
export interface Sandbox {
  prepare: Launcher;
  reason: string | null;
}

/** Opened once for all that runs in it. */
export type OpenSandbox = (context: ToolsetContext) => Promise<Sandbox>;

const openSandboxOf = async (context: ToolsetContext, caches: string | undefined): Promise<Sandbox> => {
  const [{ createSandboxedLauncher }, { probe }] = await Promise.all([
    import('./launch.ts'),
    import('./probe.ts'),
  ]);
  if (process.platform === 'linux') {
    await (await import('./sandbox/walls.ts')).clearPending(context);
    const [{ trimCaches }, { cacheBase }] = await Promise.all([
      import('./network/caches.ts'),
      import('./config.ts'),
    ]);
    // A cache that cannot be read is no reason to offer no commands.
    await trimCaches(caches ?? cacheBase()).catch(() => undefined);
  }
  const prepare = createSandboxedLauncher(context, { caches });
  return { prepare, reason: await probe(context, prepare, context.clock) };
};

export const createSandboxOpener = (caches?: string): OpenSandbox => {
  let opened: Promise<Sandbox> | undefined;
  return (context) => (opened ??= openSandboxOf(context, caches));
};

/** The tool for failed commands, outside of the sandbox. */
const openOutside = async (context: ToolsetContext, failedCommands: FailedCommands) => {
  const { createShellExecuteOutside } = await import('./outside/shell-execute-outside.ts');
  const { createOpenLauncher } = await import('./launch.ts');
  return createShellExecuteOutside(createOpenLauncher(context), failedCommands);
};

/** Commands and processes in the background, where their sandbox holds what it promises. */
export const shellToolset = ({
  sandbox,
  offerOutside = false,
  openSandbox = createSandboxOpener(),
  ownPorts = new Set(),
  processHosts: hosts = createProcessHosts(),
  ...options
}: ShellOptions): Toolset => {
  let tools: LazyTool[] = [];
  let missing: string | null = null;
  let background: ProcessToolset | undefined;
  const offer = async (
    context: ToolsetContext,
    prepare: Launcher,
    { failedCommands, ...surroundings }: Surroundings & { failedCommands?: FailedCommands },
  ) => {
    const [{ createShellExecute }, { createProcessTools }] = await Promise.all([
      import('./shell-execute.ts'),
      import('./processes/index.ts'),
    ]);
    background = createProcessTools({ ...context, prepare, surroundings, hosts });
    const foreground = createShellExecute(prepare, {
      ...background.surroundings,
      goOn: background.goOn,
      ...(failedCommands && { failedCommands }),
    });
    const outside = failedCommands && (await openOutside(context, failedCommands));
    tools = [foreground, ...background.tools, ...(outside ? [outside] : [])].map(toLazyTool);
  };
  return {
    category: 'shell',
    groups: ['shell'],
    open: async (context) => {
      const hint = help[process.platform];
      if (hint === undefined) {
        missing = 'The shell is not offered on this system; on Windows, run drawbridge inside WSL 2.';
        return;
      }
      const { createOpenLauncher } = await import('./launch.ts');
      if (!sandbox) return offer(context, createOpenLauncher(context), { sandbox });
      const { prepare, reason } = await openSandbox(context);
      const { createLook } = await import('./sandbox/visible/visible-places.ts');
      const { clock, access, root, privateFolder } = context;
      const network = { ...options, ownPorts, clock, access, territory: { root, privateFolder } };
      const { createFailedCommands } = await import('./outside/failed-commands.ts');
      const surroundings = {
        sandbox,
        look: createLook(context),
        ...(process.platform === 'linux' && { network }),
        ...(offerOutside && { failedCommands: createFailedCommands(clock) }),
      };
      if (reason === null) await offer(context, prepare, surroundings);
      else missing = `The shell is not offered: ${reason}. ${hint}`.slice(0, 500);
    },
    tools: () => tools,
    missing: () => missing,
    warning: () => (sandbox ? null : withoutSandboxWarning),
    processes: async (query) => (await background?.answer(query)) ?? { processes: [] },
    close: async () => background?.close(),
  };
};
