import type { Tool, ToolCategory } from '@drawbridge/contracts';
import { sleep, systemClock } from '@drawbridge/kit';
import type { Modes, SettingsStore } from '../permission/index.ts';
import { openMcpServers, stillStarting } from '../tools/index.ts';
import { createOffer, type Offer } from './offer.ts';

/** MCP servers take their time to start; one that needs longer is described as it is then. */
const settleMs = 10_000;

const nobody = () => undefined;
const nowhere = 'http://127.0.0.1';

export interface Look {
  tools: Tool[];
  categories: ToolCategory[];
}

export interface LookNeeds {
  settings: SettingsStore;
  modes: Modes;
  /** The real path of the folder that file tools would work in. */
  root: string;
  shellSandbox: boolean;
}

const mcpOf = (offer: Offer) => offer.toolCategories().find(({ name }) => name === 'mcp');

const hasServers = async (folder: string): Promise<boolean> => {
  const servers = await openMcpServers(folder, systemClock);
  // A file that cannot be understood is told of by the family.
  return (await servers.read().catch(() => new Map())).size > 0;
};

/** Resolves when the MCP servers that are being started have told their tools or their trouble, or after 10 s. */
const settled = async (offer: Offer, { modes, settings }: LookNeeds): Promise<void> => {
  if (modes.mcp === 'deny' || !(await hasServers(settings.folder))) return;
  const isDone = () => {
    const mcp = mcpOf(offer);
    return mcp === undefined || mcp.enabled || mcp.reason !== stillStarting;
  };
  const over = new AbortController();
  const stopListening = offer.onChanged(() => isDone() && over.abort());
  if (!isDone()) await sleep(systemClock, settleMs, over.signal).catch(() => {});
  stopListening();
};

/** Opens what a session would offer, looks at it, and closes it again. No tool runs. */
export const lookAtTools = async (needs: LookNeeds): Promise<Look> => {
  const { settings, modes, root, shellSandbox } = needs;
  const offer = await createOffer({
    clock: systemClock,
    settings,
    modes,
    root,
    ask: { kind: 'panel' },
    // No page is opened, so it does not matter whose pages must not be.
    families: { say: nobody, shellSandbox, browser: { mode: settings.browserMode(), serverUrl: nowhere } },
    sayOfRules: nobody,
  });
  try {
    await settled(offer, needs);
    return { tools: offer.tools(), categories: offer.toolCategories() };
  } finally {
    await offer.close();
  }
};
