import type { ToolGroup } from '@drawbridge/contracts/groups';
import type { ProcessesBody, LocalProcessesQuery } from '@drawbridge/contracts/machines/processes';
import type { ToolCategory } from '@drawbridge/contracts/tool-category';
import { createEmitter, createSerialQueue } from '@drawbridge/kit';
import { effectiveModes, type Modes } from '../permission/index.ts';
import { changesSomething } from './common/tool.ts';
import type { ToolsetContext, Toolset } from './common/toolset.ts';

export const switchedOff = 'switched off on this machine';
/** Why a category has no tools yet while nothing is missing. */
export const stillStarting = 'its tools are still starting';

/** The toolsets of this machine, opened as their groups are switched on. */
export const createToolbox = (toolsets: readonly Toolset[], context: Omit<ToolsetContext, 'changed'>) => {
  const opened = new Map<Toolset, Promise<void>>();
  const changes = createEmitter<null>((error) => {
    throw error;
  });
  // No toolset is opened while it is being closed.
  const inTurn = createSerialQueue();

  const isOn = (toolset: Toolset, modes: Modes) => toolset.groups.some((group) => modes[group] !== 'deny');
  const offeredOf = (toolset: Toolset, modes: Modes) =>
    opened.has(toolset)
      ? toolset.tools().filter((tool) => !tool.isInternal && modes[tool.group] !== 'deny')
      : [];

  const category = (toolset: Toolset, modes: Modes): ToolCategory => {
    const name = toolset.category;
    const offered = offeredOf(toolset, modes);
    if (offered.length > 0) {
      const warning = toolset.warning?.() ?? null;
      const writeAccess = offered.some(changesSomething);
      return { name, enabled: true, writeAccess, ...(warning !== null && { reason: warning }) };
    }
    const reason = isOn(toolset, modes) ? (toolset.missing() ?? stillStarting) : switchedOff;
    return { name, enabled: false, reason };
  };

  const openOne = (toolset: Toolset): Promise<void> => {
    const already = opened.get(toolset);
    if (already) return already;
    const opening = toolset.open({ ...context, changed: () => changes.emit('tools', null) });
    opened.set(toolset, opening);
    return opening;
  };

  return {
    /** Opens what has a group that is not on deny, and closes what is to end when it has none. */
    open: (currentModes: Modes) =>
      inTurn(async () => {
        const modes = effectiveModes(currentModes);
        const unwanted = [...opened.keys()].filter((one) => one.endsWhenOff && !isOn(one, modes));
        for (const toolset of unwanted) opened.delete(toolset);
        await Promise.all([
          ...unwanted.map((toolset) => toolset.close()),
          ...toolsets.filter((toolset) => isOn(toolset, modes)).map(openOne),
        ]);
      }),
    find: (name: string) => {
      for (const toolset of opened.keys()) {
        const tool = toolset.tools().find(({ descriptor }) => descriptor.name === name);
        if (tool) return tool;
      }
      return undefined;
    },
    /** Why no open toolset has a tool of the group, or null where one has or will have. */
    missing: (group: ToolGroup) => {
      const own = toolsets.filter((toolset) => opened.has(toolset) && toolset.groups.includes(group));
      if (own.some((toolset) => toolset.tools().some((tool) => tool.group === group))) return null;
      if (own.length === 0) return 'this daemon has no tools of this kind';
      return own.map((toolset) => toolset.missing()).find((reason) => reason !== null) ?? null;
    },
    /** The tools that are sent to the server: those of open toolsets whose group is not on deny. */
    offered: (currentModes: Modes) => {
      const modes = effectiveModes(currentModes);
      return toolsets.flatMap((toolset) => offeredOf(toolset, modes)).map(({ descriptor }) => descriptor);
    },
    /** Each toolset: whether any of it is offered, why not, and whether it can change anything. */
    categories: (currentModes: Modes) =>
      toolsets.map((toolset) => category(toolset, effectiveModes(currentModes))),
    /** Calls when what an open toolset has or misses changed; gives a function that stops it. */
    onChanged: (listen: () => void) => changes.on('tools', listen),
    /** Loads the open toolsets: no call waits, and an update of the program changes nothing that runs. */
    load: async () => {
      const entries = [...opened.keys()].flatMap((toolset) => toolset.tools());
      // What cannot be loaded is said to the call that needs it.
      await Promise.allSettled(entries.map((entry) => entry.load()));
    },
    /** About processes in the background; none where no toolset has them. */
    processes: async (query: LocalProcessesQuery): Promise<ProcessesBody> => {
      const having = [...opened.keys()].find(({ processes }) => processes !== undefined);
      return (await having?.processes?.(query)) ?? { processes: [] };
    },
    /** The call of that id was withdrawn: it gets no answer. */
    withdrawn: (requestId: string, denialReason?: string) => {
      for (const toolset of opened.keys()) toolset.withdrawn?.(requestId, denialReason);
    },
    close: async () => {
      await Promise.all([...opened.keys()].map((toolset) => toolset.close()));
    },
  };
};

export type Toolbox = ReturnType<typeof createToolbox>;
