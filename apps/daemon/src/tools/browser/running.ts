import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode } from '@drawbridge/contracts/groups';
import type { Clock } from '@drawbridge/kit';
import type { Page } from 'playwright-core';
import type { BrowserMode } from '../../permission/index.ts';
import type { Resource } from '../common/tool.ts';
import type { BrowserEnvironment } from './config.ts';
import { connectTools, loadChromium } from './connection.ts';
import { createDownloads } from './downloads/downloads.ts';
import { makeFolders } from './downloads/folders.ts';
import { startRequestInterceptor, type RequestInterceptor } from './network/request-interceptor.ts';
import { createHostPolicy, type Called } from './network/host-policy.ts';
import { launchBrowser } from './launch.ts';
import { settleMs } from './limits.ts';
import { createCallWarnings } from './call-warnings.ts';
import { addressesOfThisMachine, findOwnServer } from '../common/network/own-server.ts';
import type { WebHost } from '../common/network/host.ts';
import type { ProcessHosts } from '../common/network/process-hosts.ts';
import { openProxy } from './network/proxy.ts';
import type { Resolve } from '../common/network/resolve.ts';
import { watchTabs, type Tabs } from './tabs.ts';

export interface RunningNeeds {
  clock: Clock;
  access(resource: Resource, caller?: RequestCaller): Promise<Mode>;
  privateFolder: string;
  mode: BrowserMode;
  serverUrl: string;
  executablePath: string;
  environment: BrowserEnvironment;
  resolve?: Resolve | undefined;
  /** Gets the ports on which this program listens. */
  ownPorts: Set<number>;
  processHosts: Pick<ProcessHosts, 'find'>;
}

/** A page that was stopped gives way to the browser's own page that says so, which comes a moment later. */
const settle = async (page: Page | undefined): Promise<void> => {
  await page?.waitForURL(/^chrome-error:/, { timeout: settleMs, waitUntil: 'commit' }).catch(() => undefined);
};

const openPolicy = async (needs: RunningNeeds, open: () => WebHost[]) => {
  const { access, ownPorts, processHosts: processes, serverUrl } = needs;
  const own = addressesOfThisMachine();
  const server = await findOwnServer(serverUrl, own);
  return createHostPolicy({ access, server, own, ownPorts, processes, open });
};

/** Starts a browser; whatever fails, nothing of it stays behind. */
export const startBrowser = async (needs: RunningNeeds) => {
  const { clock, mode, privateFolder, executablePath, environment } = needs;
  const undo: (() => unknown)[] = [];
  const close = async () => {
    for (const step of undo.splice(0).reverse()) await Promise.resolve(step()).catch(() => undefined);
  };
  try {
    const folders = makeFolders(privateFolder, mode);
    undo.push(folders.remove);
    const warnings = createCallWarnings();
    const downloads = createDownloads({ clock, folder: folders.downloads, notify: warnings.notify });
    undo.push(downloads.close);
    let tabs: Tabs | undefined;
    let interceptor: RequestInterceptor | undefined;
    let stopped = false;
    const open = () => tabs?.hosts() ?? [];
    const hostPolicy = await openPolicy(needs, open);
    const proxy = await openProxy({
      clock,
      ownPorts: needs.ownPorts,
      mayConnect: hostPolicy.mayConnect,
      into: hostPolicy.into,
      refused: (place, refusal) => {
        if (interceptor?.hasPassed(place.host)) warnings.blocked(`http://${place.host}/`, refusal);
      },
      resolve: needs.resolve,
    });
    undo.push(proxy.close);
    const context = await launchBrowser(loadChromium(), {
      executablePath,
      environment,
      folders,
      proxyUrl: proxy.url,
      platform: process.platform,
    });
    undo.push(() => context.close());
    let isOpen = true;
    context.on('close', () => {
      isOpen = false;
    });
    const browser = context.browser();
    if (!browser) throw new Error('no browser');
    const cdp = await browser.newBrowserCDPSession();
    interceptor = await startRequestInterceptor({
      cdp,
      hostPolicy,
      proxy,
      open,
      blocked: (url, refusal) => {
        stopped = true;
        warnings.blocked(url, refusal);
      },
    });
    const watched = watchTabs({ context, downloads, notify: warnings.notify });
    tabs = watched;
    const connection = await connectTools(async () => context, folders.output);
    undo.push(connection.close);
    return {
      isOpen: () => isOpen,
      pages: watched.all,
      current: watched.current,
      call: (name: string, args: Record<string, unknown>, called: Called) =>
        hostPolicy.during(called, async () => {
          stopped = false;
          const answer = await connection.call(name, args);
          if (stopped) await settle(watched.current());
          return answer;
        }),
      warnings: warnings.take,
      dismissDialogs: watched.dismissDialogs,
      download: downloads.find,
      /** A folder of which the tools may read. */
      uploads: folders.uploads,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

export type Running = Awaited<ReturnType<typeof startBrowser>>;
