import { toolGroups, type Tool, type ToolCategory } from '@drawbridge/contracts';
import type { Clock } from '@drawbridge/kit';
import type { Dispatch } from '../link/index.ts';
import {
  createGate,
  createRemoteRules,
  createSession,
  openRuleUse,
  type Ask,
  type Modes,
  type RemoteRules,
  type SettingsStore,
} from '../permission/index.ts';
import {
  allFamilies,
  createDispatch,
  createToolbox,
  systemFamily,
  type FamilyNeeds,
} from '../tools/index.ts';

/** What this machine offers in one session. */
export interface Offer {
  /** The tools that the server is told of, now. */
  tools(): Tool[];
  toolCategories(): ToolCategory[];
  dispatch: Dispatch;
  /** Whether the tool of that name changes anything. */
  changes(tool: string): boolean;
  /** Calls when `tools` or `toolCategories` give something else; gives a function that stops it. */
  onChanged(listen: () => void): () => void;
  /** Loads the tools; a call that comes before waits for its own. */
  load(): Promise<void>;
  /** What the panel is told of the rules, and may do to them. */
  rules: RemoteRules;
  /** Forgets the rules that held for the session. */
  endSession(): void;
  /** Ends what the tools started. */
  close(): Promise<void>;
}

export interface OfferNeeds {
  clock: Clock;
  settings: SettingsStore;
  /** What holds for this session. */
  modes: Modes;
  ask: Ask;
  /** The real path of the folder that file tools work in. */
  root: string;
  families: FamilyNeeds;
  /** One sentence for the person at the machine about rules that were changed from elsewhere. */
  sayOfRules(sentence: string): void;
}

/** What flags and edits changed for this session; the rest follows the file, also when it changes under way. */
const changedModes = (settings: SettingsStore, modes: Modes): Partial<Modes> => {
  const kept = settings.modes();
  return Object.fromEntries(
    toolGroups.filter((group) => modes[group] !== kept[group]).map((group) => [group, modes[group]]),
  );
};

/** Puts the tools behind the person's permissions, and finds out which of them this machine can offer. */
export const createOffer = async (needs: OfferNeeds): Promise<Offer> => {
  const { clock, settings, modes, ask, root, families, sayOfRules } = needs;
  const forSession = changedModes(settings, modes);
  const session = createSession({ clock, modes: forSession });
  const use = await openRuleUse({ clock, folder: settings.folder });
  const gate = createGate({ settings, session, ask, use, root });
  // A flag may switch `system` off; the gate takes its mode from the file alone.
  const held = (): Modes => ({ ...gate.modes(), ...(modes.system === 'deny' && { system: 'deny' }) });
  const place = { root, privateFolder: settings.folder, clock };
  const system = systemFamily({
    modes: held,
    isOffForSession: (group) => forSession[group] === 'deny',
    prepare: async (group) => {
      await toolbox.open({ ...held(), filesystemRead: 'ask', [group]: 'ask' });
      return toolbox.missing(group);
    },
    activate: settings.activate,
  });
  const toolbox = createToolbox([...allFamilies(families), system], {
    ...place,
    access: gate.access,
  });
  await toolbox.open(held());
  return {
    tools: () => toolbox.offered(held()),
    toolCategories: () => toolbox.categories(held()),
    dispatch: createDispatch({ find: toolbox.find, gate, ...place }),
    // A tool that is not known here counts as one that changes something.
    changes: (tool) => toolbox.find(tool)?.effect !== 'reads',
    onChanged: toolbox.onChanged,
    load: toolbox.load,
    rules: createRemoteRules({ settings, session, use, say: sayOfRules }),
    endSession: gate.endSession,
    close: async () => {
      await toolbox.close();
      await use.close();
    },
  };
};
