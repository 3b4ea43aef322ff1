import type { SettledBody } from '@drawbridge/contracts/daemon-surface';
import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { RulesQuery } from '@drawbridge/contracts/rules';
import type { Clock } from '@drawbridge/kit';
import {
  createGate,
  answerRulesQuery,
  createSession,
  createSettler,
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
  type ToolsetNeeds,
} from '../tools/index.ts';
import { counted } from '../text/words.ts';
import { changesSomething } from '../tools/common/tool.ts';
import { modeSources, sessionModes } from './common/mode-sources.ts';

export interface ToolHostNeeds {
  clock: Clock;
  settings: SettingsStore;
  modes: Modes;
  /** Groups whose mode a flag or a variable gave: they do not follow the file. */
  flags: readonly ToolGroup[];
  ask: Ask;
  root: string;
  toolsets: ToolsetNeeds;
  /** One sentence for the person at the machine about rules that were changed from elsewhere. */
  notifyOfRules(sentence: string): void;
}

/** Puts the tools behind the person's permissions, and finds out which of them this machine can offer. */
export const createToolHost = async (needs: ToolHostNeeds) => {
  const { clock, settings, modes, flags, ask, root, toolsets, notifyOfRules } = needs;
  const forSession = sessionModes({ settings, modes, flags });
  const session = createSession({ clock, modes: forSession });
  const use = await openRuleUse({ clock, folder: settings.folder });
  const gate = createGate({ settings, session, ask, use, root });
  // A flag may switch `system` off; the gate takes its mode from the file alone.
  const held = (): Modes => ({ ...gate.modes(), ...(modes.system === 'deny' && { system: 'deny' }) });
  const place = { root, privateFolder: settings.folder, clock };
  const system = openSystemToolset({
    modes: held,
    isOffForSession: (group) => forSession[group] === 'deny',
    prepare: async (group) => {
      await toolbox.open({ ...held(), filesystemRead: 'ask', [group]: 'ask' });
      return toolbox.missing(group);
    },
    activate: settings.activate,
  });
  const toolbox = createToolbox([...allToolsets(toolsets), system], {
    ...place,
    access: gate.access,
  });
  await toolbox.open(held());
  return {
    /** The tools that the server is told of, now. */
    tools: () => toolbox.offered(held()),
    toolCategories: () => toolbox.categories(held()),
    modes: held,
    modeSources: () => modeSources(settings, { flags, forSession }),
    dispatch: createDispatch({ find: toolbox.find, gate, ...place }),
    changes: (name: string) => {
      const tool = toolbox.find(name);
      // An unknown tool counts as one that changes something.
      return tool === undefined || changesSomething(tool);
    },
    /** Calls when `tools` or `toolCategories` give something else; gives a function that stops it. */
    onChanged: toolbox.onChanged,
    /** Loads the tools; a call that comes before waits for its own. */
    load: toolbox.load,
    rules: (query: RulesQuery) => answerRulesQuery({ settings, session, use, notify: notifyOfRules }, query),
    /** Settles and reports open questions as rules cover them. Returns a function that stops it. */
    settleQuestions: (report: (body: SettledBody) => Promise<number | null>) =>
      createSettler({
        clock,
        gate,
        report,
        settled: (count) => notifyOfRules(`also settled ${counted(count, 'other question')}`),
      }),
    /** The question of this request will not be answered. */
    withdrawn: gate.withdraw,
    endSession: gate.endSession,
    close: async () => {
      await toolbox.close();
      await use.close();
    },
  };
};

export type ToolHost = Awaited<ReturnType<typeof createToolHost>>;
