import type { Tool, ToolCategory } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Dispatch } from '../link/index.ts';
import { createGate, createSession, type Ask, type Modes, type SettingsStore } from '../permission/index.ts';
import { allTools, createDispatch, offeredTools, toolCategories } from '../tools/index.ts';

/** What this machine offers in one session. */
export interface Offer {
  tools: Tool[];
  toolCategories: ToolCategory[];
  dispatch: Dispatch;
  /** Forgets the rules that held for the session. */
  endSession(): void;
}

export interface OfferNeeds {
  clock: Clock;
  settings: SettingsStore;
  /** What holds for this session. */
  modes: Modes;
  ask: Ask;
  /** The real path of the folder that file tools work in. */
  root: string;
}

/** Puts the tools behind the person's permissions. */
export const createOffer = ({ clock, settings, modes, ask, root }: OfferNeeds): Offer => {
  const gate = createGate({ settings, session: createSession(modes), ask });
  const held = { ...gate.modes(), ...modes };
  const tools = allTools().filter((tool) => held[tool.group] !== 'deny');
  return {
    tools: offeredTools(tools, held),
    toolCategories: toolCategories(allTools(), held),
    dispatch: createDispatch({ tools, gate, root, privateFolder: settings.folder, clock }),
    endSession: gate.endSession,
  };
};
