import type { BrowserMode } from '../../permission/index.ts';
import { toLazyTools, type DescribedTool, type LazyTool } from '../common/lazy-tool.ts';
import type { ToolsetContext, Toolset } from '../common/toolset.ts';
import { browserEnvironment } from './config.ts';
import { findBrowser, howToInstall } from './find-browser.ts';
import type { ProcessHosts } from '../common/network/process-hosts.ts';
import type { Resolve } from '../common/network/resolve.ts';
import type { BrowserSession } from './session.ts';

export interface BrowserOptions {
  mode: BrowserMode;
  /** The server that the daemon is connected to; its pages are never opened. */
  serverUrl: string;
  resolve?: Resolve;
}

interface Needs extends BrowserOptions {
  /** Gets the ports on which this program listens. */
  ownPorts: Set<number>;
  processHosts: Pick<ProcessHosts, 'find'>;
}

/** A separate browser for the agent. `open` looks for one; it starts with the first call. */
export const browserToolset = (
  { mode, serverUrl, resolve, ownPorts, processHosts }: Needs,
  descriptors: readonly DescribedTool[],
): Toolset => {
  let tools: readonly LazyTool[] = [];
  let missing: string | null = null;
  let session: BrowserSession | undefined;
  return {
    category: 'browser',
    groups: ['browser'],
    open: async ({ access, clock, privateFolder }: ToolsetContext) => {
      const environment = browserEnvironment();
      const executablePath = findBrowser(environment, process.platform);
      if (executablePath === undefined) {
        missing = howToInstall(process.platform);
        return;
      }
      const needs = {
        access,
        clock,
        privateFolder,
        mode,
        serverUrl,
        executablePath,
        environment,
        resolve,
        ownPorts,
        processHosts,
      };
      tools = toLazyTools(descriptors, async () => {
        const [{ createBrowserSession }, { browserTools }] = await Promise.all([
          import('./session.ts'),
          import('./tools.ts'),
        ]);
        session ??= createBrowserSession(needs);
        return browserTools(session);
      });
    },
    tools: () => tools,
    missing: () => missing,
    close: async () => session?.close(),
  };
};
