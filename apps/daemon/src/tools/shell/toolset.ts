import { toLazyTool, type LazyTool } from '../common/lazy-tool.ts';
import type { NetworkNeeds } from './network/command-egress.ts';
import type { Toolset } from '../common/toolset.ts';

const withoutSandboxWarning =
  'Commands run without a sandbox: they can do whatever you can do on this machine.';

const help: Partial<Record<NodeJS.Platform, string>> = {
  linux:
    'Install bubblewrap (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap; Arch: pacman -S bubblewrap). ' +
    'Where it is installed, the system must let programs make user namespaces; a container needs that from its host.',
  darwin: 'It needs /usr/bin/sandbox-exec, which comes with macOS.',
};

export interface ShellOptions extends Pick<NetworkNeeds, 'serverUrl' | 'resolve' | 'dial' | 'authorities'> {
  /** The folder for caches of package tools; the user's where nothing is said. */
  caches?: string;
  /** False is the person's own choice. */
  sandbox: boolean;
  /** The person's own choice too; off where nothing is said. */
  offerOutside?: boolean | undefined;
  ownPorts?: NetworkNeeds['ownPorts'];
}

/** `shell_execute`, where its sandbox holds what it promises. */
export const shellToolset = ({
  sandbox,
  offerOutside = false,
  caches,
  ownPorts = new Set(),
  ...options
}: ShellOptions): Toolset => {
  let tools: LazyTool[] = [];
  let missing: string | null = null;
  return {
    category: 'shell',
    groups: ['shell'],
    open: async (context) => {
      const hint = help[process.platform];
      if (hint === undefined) {
        missing = 'The shell is not offered on this system; on Windows, run drawbridge inside WSL 2.';
        return;
      }
      const [{ createOpenLauncher, createSandboxedLauncher }, { probe }, { createShellExecute }] =
        await Promise.all([import('./launch.ts'), import('./probe.ts'), import('./shell-execute.ts')]);
      if (!sandbox) {
        tools = [toLazyTool(createShellExecute(createOpenLauncher(context), { sandbox }))];
        return;
      }
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
      const reason = await probe(context, prepare, context.clock);
      const { createLook } = await import('./sandbox/visible/visible-places.ts');
      const { clock, access, root, privateFolder } = context;
      const network = { ...options, ownPorts, clock, access, territory: { root, privateFolder } };
      const { createFailedCommands } = await import('./outside/failed-commands.ts');
      const { createShellExecuteOutside } = await import('./outside/shell-execute-outside.ts');
      const failedCommands = offerOutside ? createFailedCommands(clock) : undefined;
      const surroundings = {
        sandbox,
        look: createLook(context),
        ...(process.platform === 'linux' && { network }),
        ...(failedCommands && { failedCommands }),
      };
      if (reason === null)
        tools = [
          createShellExecute(prepare, surroundings),
          ...(failedCommands ? [createShellExecuteOutside(createOpenLauncher(context), failedCommands)] : []),
        ].map(toLazyTool);
      else missing = `The shell is not offered: ${reason}. ${hint}`.slice(0, 500);
    },
    tools: () => tools,
    missing: () => missing,
    warning: () => (sandbox ? null : withoutSandboxWarning),
    close: async () => {},
  };
};
