import type { Tool, ToolCategory, ToolGroup } from '@drawbridge/contracts';
import { createEmitter } from '@drawbridge/kit';
import { effectiveModes, type Modes } from '../permission/index.ts';
import type { ToolEntry } from './entry.ts';
import type { FamilyContext, ToolFamily } from './family.ts';

/** The families of this machine, opened as their groups are switched on. */
export interface Toolbox {
  /** Opens what has a group that is not on deny; what is open stays open. */
  open(modes: Modes): Promise<void>;
  /** An open family's tool. */
  find(name: string): ToolEntry | undefined;
  /** Why no open family has a tool of the group, or null where one has or will have. */
  missing(group: ToolGroup): string | null;
  /** The tools that the server is told of: those of open families whose group is not on deny. */
  offered(modes: Modes): Tool[];
  /** Each family, whether any of it is offered, why not, and whether it can change anything. */
  categories(modes: Modes): ToolCategory[];
  /** Calls when what an open family has or misses changed; gives a function that stops it. */
  onChanged(listen: () => void): () => void;
  /** Loads what open families offer, so that no call waits for it, and an update of the program changes nothing that runs. */
  load(): Promise<void>;
  close(): Promise<void>;
}

/** Why a family is not offered whose groups are all on deny. */
export const switchedOff = 'switched off on this machine';
/** Why a category has no tools yet while nothing is missing. */
export const stillStarting = 'its tools are not there yet';

export const createToolbox = (
  families: readonly ToolFamily[],
  context: Omit<FamilyContext, 'changed'>,
): Toolbox => {
  const opened = new Map<ToolFamily, Promise<void>>();
  const changes = createEmitter<null>((error) => {
    throw error;
  });

  const isOn = (family: ToolFamily, modes: Modes) => family.groups.some((group) => modes[group] !== 'deny');
  const offeredOf = (family: ToolFamily, modes: Modes) =>
    opened.has(family) ? family.tools().filter((tool) => modes[tool.group] !== 'deny') : [];

  const category = (family: ToolFamily, modes: Modes): ToolCategory => {
    const name = family.category;
    const offered = offeredOf(family, modes);
    if (offered.length > 0) {
      const warning = family.warning?.() ?? null;
      const writeAccess = offered.some((tool) => tool.effect !== 'reads');
      return { name, enabled: true, writeAccess, ...(warning !== null && { reason: warning }) };
    }
    const isOpen = isOn(family, modes) && opened.has(family);
    const reason = isOpen ? (family.missing() ?? stillStarting) : switchedOff;
    return { name, enabled: false, reason };
  };

  return {
    open: async (given) => {
      const modes = effectiveModes(given);
      const wanted = families.filter((family) => isOn(family, modes));
      await Promise.all(
        wanted.map((family) => {
          const already = opened.get(family);
          if (already) return already;
          const opening = family.open({ ...context, changed: () => changes.emit('tools', null) });
          opened.set(family, opening);
          return opening;
        }),
      );
    },
    find: (name) => {
      for (const family of opened.keys()) {
        const found = family.tools().find(({ told }) => told.name === name);
        if (found) return found;
      }
      return undefined;
    },
    missing: (group) => {
      const own = families.filter((family) => opened.has(family) && family.groups.includes(group));
      if (own.some((family) => family.tools().some((tool) => tool.group === group))) return null;
      if (own.length === 0) return 'this daemon has no tools of this kind';
      return own.map((family) => family.missing()).find((reason) => reason !== null) ?? null;
    },
    offered: (given) => {
      const modes = effectiveModes(given);
      return families.flatMap((family) => offeredOf(family, modes)).map(({ told }) => told);
    },
    categories: (given) => families.map((family) => category(family, effectiveModes(given))),
    onChanged: (listen) => changes.on('tools', listen),
    load: async () => {
      const entries = [...opened.keys()].flatMap((family) => family.tools());
      // What cannot be loaded is said to the call that needs it.
      await Promise.allSettled(entries.map((entry) => entry.load()));
    },
    close: async () => {
      await Promise.all([...opened.keys()].map((family) => family.close()));
    },
  };
};
