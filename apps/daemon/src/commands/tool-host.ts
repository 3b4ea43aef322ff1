import type { SettledBody } from '@drawbridge/contracts/daemon-surface';
import { toolGroups, type ToolGroup } from '@drawbridge/contracts/groups';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import { createEmitter, type Clock } from '@drawbridge/kit';
import {
  groupLabel,
  createGate,
  answerRulesQuery,
  createSession,
  createSettler,
  effectiveModes,
  openRuleUse,
  type Ask,
  type Modes,
  type SettingsStore,
} from '../permission/index.ts';
import {
  allToolsets,
  createDispatch,
  createToolbox,
  openSystemToolset,
  type Toolbox,
  type ToolsetNeeds,
} from '../tools/index.ts';
import { createKeeper } from '../kept/index.ts';
import { createServerFolders } from '../paths/server-folders.ts';
import { counted } from '../text/words.ts';
import { changesSomething } from '../tools/common/tool.ts';
import { modeSources, sessionModes, sourceWords, type ModeSources } from './common/mode-sources.ts';

export interface ToolHostNeeds {
  clock: Clock;
  settings: SettingsStore;
  modes: Modes;
  /** Groups whose mode a flag or a variable gave: they do not follow the file. */
  flags: readonly ToolGroup[];
  ask: Ask;
  root: string;
  /** Paths that no tool touches, beside those that servers of this account have written down. */
  closed?: readonly string[];
  toolsets: ToolsetNeeds;
  /** One sentence for the person at the machine about rules that were changed from elsewhere. */
  notifyOfRules(sentence: string): void;
  /** The same about modes that the settings file changed. */
  notifyOfModes(sentence: string): void;
}

interface Followed {
  settings: SettingsStore;
  toolbox: Toolbox;
  held(): Modes;
  sources(): ModeSources;
  notify(sentence: string): void;
  notifyOfModes(sentence: string): void;
  changed(): void;
}

/** Applies the modes of the settings file when it changes. Gives a function that stops it. */
const followSettings = (needs: Followed): (() => void) => {
  const { settings, toolbox, held, sources, notify, notifyOfModes, changed } = needs;
  let followed = held();
  const notifyOfFailure = (error: unknown) =>
    notify(error instanceof Error ? error.message : 'the settings file cannot be used');

  const follow = async () => {
    const modes = held();
    const others = toolGroups.filter((group) => modes[group] !== followed[group]);
    if (others.length === 0) return;
    followed = modes;
    // What is switched off is withdrawn at once; what is switched on is offered when it has started.
    if (others.some((group) => modes[group] === 'deny')) changed();
    for (const group of others)
      notifyOfModes(`${groupLabel(group)}: ${modes[group]}, ${sourceWords[sources()[group]]}`);
    await toolbox.open(modes);
    await toolbox.load();
    changed();
    for (const group of others) {
      const missing = modes[group] === 'deny' ? null : toolbox.missing(group);
      if (missing !== null) notify(`${groupLabel(group)}: ${missing}`);
    }
  };

  const stopFollowing = settings.onChanged(() => void follow().catch(notifyOfFailure));
  const stopWatching = settings.watch(notifyOfFailure);
  return () => {
    stopFollowing();
    stopWatching();
  };
};

/** Puts the tools behind the person's permissions, and finds out which of them this machine can offer. */
export const createToolHost = async (needs: ToolHostNeeds) => {
  const { clock, settings, modes, flags, ask, root, toolsets, notifyOfRules, notifyOfModes } = needs;
  const forSession = sessionModes({ settings, modes, flags });
  const session = createSession({ clock, modes: forSession, root });
  const use = await openRuleUse({ clock, folder: settings.folder });
  const gate = createGate({ settings, session, ask, use, root });
  // A flag may switch `system` off; the gate takes its mode from the file alone.
  const held = (): Modes =>
    effectiveModes({ ...gate.modes(), ...(session.modes().system === 'deny' && { system: 'deny' }) });
  const sources = () => modeSources(settings, { flags, forSession });
  const place = {
    root,
    privateFolder: settings.folder,
    closedFolders: createServerFolders(clock, needs.closed),
    clock,
  };
  const system = openSystemToolset({
    modes: held,
    isOffForSession: (group) => session.modes()[group] === 'deny',
    prepare: async (group) => {
      await toolbox.open({ ...held(), filesystemRead: 'ask', [group]: 'ask' });
      return toolbox.missing(group);
    },
    activate: settings.activate,
  });
  const toolbox = createToolbox([...allToolsets(toolsets), system], {
    ...place,
    addedFolders: settings.readableFolders,
    access: gate.access,
  });
  await toolbox.open(held());
  const changes = createEmitter<null>((error) => {
    throw error;
  });
  const changed = () => changes.emit('tools', null);
  const stopForwarding = toolbox.onChanged(changed);
  const { notify } = toolsets;
  const stopFollowing = followSettings({ settings, toolbox, held, sources, notify, notifyOfModes, changed });
  return {
    /** The tools that are offered to the server now. */
    tools: () => toolbox.offered(held()),
    toolCategories: () => toolbox.categories(held()),
    modes: held,
    modeSources: sources,
    dispatch: createDispatch({ find: toolbox.find, gate, ...place, keeper: createKeeper(place) }),
    changes: (name: string) => {
      const tool = toolbox.find(name);
      // An unknown tool counts as one that changes something.
      return tool === undefined || changesSomething(tool);
    },
    /** Calls when `tools`, `toolCategories` or `modes` change; gives a function that stops it. */
    onChanged: (listen: () => void) => changes.on('tools', listen),
    /** Loads the tools; a call that comes before waits for its own. */
    load: toolbox.load,
    rules: (query: RulesQuery) => answerRulesQuery({ settings, session, use, notify: notifyOfRules }, query),
    processes: toolbox.processes,
    /** Settles and reports open questions as rules cover them. Returns a function that stops it. */
    settleQuestions: (report: (body: SettledBody) => Promise<number | null>) =>
      createSettler({
        clock,
        gate,
        report,
        settled: (count) => notifyOfRules(`also settled ${counted(count, 'other question')}`),
      }),
    /** The question of this request will not be answered. */
    withdrawn: (requestId: string, denialReason?: string) => {
      gate.withdraw(requestId);
      toolbox.withdrawn(requestId, denialReason);
    },
    endSession: gate.endSession,
    close: async () => {
      stopFollowing();
      stopForwarding();
      await toolbox.close();
      await use.close();
    },
  };
};

export type ToolHost = Awaited<ReturnType<typeof createToolHost>>;
