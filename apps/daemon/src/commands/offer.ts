import { toolGroups, type Tool, type ToolCategory } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Dispatch } from '../link/index.ts';
import { createGate, createSession, type Ask, type Modes, type SettingsStore } from '../permission/index.ts';
import { allTools, createDispatch, offeredTools, toolCategories } from '../tools/index.ts';

/** What this machine offers in one session. */
export interface Offer {
  tools: Tool[];
  toolCategories: ToolCategory[];
  dispatch: Dispatch;
  /** Whether the tool of that name changes anything. */
  changes(tool: string): boolean;
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

/** What flags and edits changed for this session; the rest follows the file, also when it changes under way. */
const changedModes = (settings: SettingsStore, modes: Modes): Partial<Modes> => {
  const kept = settings.modes();
  return Object.fromEntries(
    toolGroups.filter((group) => modes[group] !== kept[group]).map((group) => [group, modes[group]]),
  );
};

/** Puts the tools behind the person's permissions. */
export const createOffer = ({ clock, settings, modes, ask, root }: OfferNeeds): Offer => {
  const gate = createGate({ settings, session: createSession(changedModes(settings, modes)), ask });
  const held = { ...gate.modes(), ...modes };
  const changing = new Set(allTools().flatMap(({ name, effect }) => (effect === 'reads' ? [] : [name])));
  const tools = allTools().filter((tool) => held[tool.group] !== 'deny');
  return {
    tools: offeredTools(tools, held),
    toolCategories: toolCategories(allTools(), held),
    dispatch: createDispatch({ tools, gate, root, privateFolder: settings.folder, clock }),
    changes: (tool) => changing.has(tool),
    endSession: gate.endSession,
  };
};
