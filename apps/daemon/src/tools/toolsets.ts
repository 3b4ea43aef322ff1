import { browserToolset, type BrowserOptions } from './browser/index.ts';
import { computerToolset } from './computer/toolset.ts';
import { unwatchedInput, type OwnInput } from './computer/own-input.ts';
import { toLazyTools } from './common/lazy-tool.ts';
import { plainToolset, type Toolset } from './common/toolset.ts';
import { createProcessHosts } from './common/network/process-hosts.ts';
import { descriptors } from './static-descriptors.ts';
import { mcpToolset, type McpToolsetNeeds } from './mcp/index.ts';
import { openSystemToolset as createSystemToolset } from './system/toolset.ts';
import type { ActivationNeeds } from './system/activate-tools.ts';
import { runtimesToolset } from './runtimes/index.ts';
import { createSandboxOpener, shellToolset, type ShellOptions } from './shell/toolset.ts';

const filesystemEntries = () =>
  toLazyTools(descriptors.filesystem, async () => (await import('./filesystem/index.ts')).filesystemTools);

export interface ToolsetNeeds extends McpToolsetNeeds {
  /** How commands find hosts and connect to them; by the system by default. */
  network?: Pick<ShellOptions, 'resolve' | 'dial' | 'authorities'>;
  /** The folder for caches of package tools; the user's where nothing is said. */
  caches?: string;
  /** False only by the person's own flag: commands run without a sandbox. */
  shellSandbox?: boolean;
  /** Whether commands that fail in the sandbox may be asked about outside of it; off by default. */
  offerOutside?: boolean;
  /** Left out where there is no server. */
  browser?: BrowserOptions;
  ownInput?: OwnInput;
}

/** Every toolset that this daemon knows, closed; which of them are offered is the person's choice. */
export const allToolsets = (needs: ToolsetNeeds = { notify: () => {} }): Toolset[] => {
  const ownPorts = new Set<number>();
  const processHosts = createProcessHosts();
  const { browser, network } = needs;
  const openSandbox = createSandboxOpener(needs.caches);
  const outside = { serverUrl: browser?.serverUrl, ownPorts, ...network };
  return [
    plainToolset('filesystem', filesystemEntries()),
    shellToolset({
      sandbox: needs.shellSandbox ?? true,
      offerOutside: needs.offerOutside,
      openSandbox,
      processHosts,
      ...outside,
    }),
    ...(browser ? [browserToolset({ ...browser, ownPorts, processHosts }, descriptors.browser)] : []),
    computerToolset({ ownInput: needs.ownInput ?? unwatchedInput }),
    mcpToolset(needs),
    runtimesToolset({ ...outside, openSandbox, notify: needs.notify }),
  ];
};

export const openSystemToolset = (needs: ActivationNeeds): Toolset =>
  createSystemToolset(needs, descriptors.system);
