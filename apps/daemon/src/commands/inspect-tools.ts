import { sleep, systemClock } from '@drawbridge/kit';
import type { Modes, SettingsStore } from '../permission/index.ts';
import { openMcpServers, stillStarting } from '../tools/index.ts';
import { createToolHost, type ToolHost } from './tool-host.ts';

/** MCP servers take their time to start; one that needs longer is described as it is then. */
const settleMs = 10_000;

const ignore = () => undefined;
const nowhere = 'http://127.0.0.1';

export interface InspectionNeeds {
  settings: SettingsStore;
  modes: Modes;
  root: string;
  shellSandbox: boolean;
}

const mcpOf = (toolHost: ToolHost) => toolHost.toolCategories().find(({ name }) => name === 'mcp');

const hasServers = async (folder: string): Promise<boolean> => {
  const servers = await openMcpServers(folder, systemClock);
  // The toolset reports a file that cannot be understood.
  return (await servers.read().catch(() => new Map())).size > 0;
};

/** Resolves when the starting MCP servers have listed their tools or failed, or after 10 s. */
const settled = async (toolHost: ToolHost, { modes, settings }: InspectionNeeds): Promise<void> => {
  if (modes.mcp === 'deny' || !(await hasServers(settings.folder))) return;
  const isDone = () => {
    const mcp = mcpOf(toolHost);
    return mcp === undefined || mcp.enabled || mcp.reason !== stillStarting;
  };
  const over = new AbortController();
  const stopListening = toolHost.onChanged(() => isDone() && over.abort());
  if (!isDone()) await sleep(systemClock, settleMs, over.signal).catch(() => {});
  stopListening();
};

export const inspectTools = async (needs: InspectionNeeds) => {
  const { settings, modes, root, shellSandbox } = needs;
  const toolHost = await createToolHost({
    clock: systemClock,
    settings,
    modes,
    flags: [],
    root,
    ask: { kind: 'panel' },
    // No page is opened, so it does not matter whose pages must not be.
    toolsets: {
      notify: ignore,
      shellSandbox,
      offerOutside: settings.offersOutside(),
      browser: { mode: settings.browserMode(), serverUrl: nowhere },
    },
    notifyOfRules: ignore,
    notifyOfModes: ignore,
  });
  try {
    await settled(toolHost, needs);
    return { tools: toolHost.tools(), categories: toolHost.toolCategories() };
  } finally {
    await toolHost.close();
  }
};
