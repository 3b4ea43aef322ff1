import type { RequestCaller } from '@drawbridge/contracts/daemon-event';
import type { Mode, ToolGroup } from '@drawbridge/contracts/groups';
import type { ProcessesBody, LocalProcessesQuery } from '@drawbridge/contracts/machines/processes';
import type { Clock } from '@drawbridge/kit';
import type { LazyTool } from './lazy-tool.ts';
import type { Resource } from './tool.ts';

export interface ToolsetContext {
  root: string;
  /** The real path of the daemon's own folder, which every tool keeps out of. */
  privateFolder: string;
  /** Folders and files of servers of this account, which every tool keeps out of too. */
  closedFolders?(): readonly string[];
  /** Folders that the owner of this machine lets commands read. */
  addedFolders?(): readonly string[];
  clock: Clock;
  /** What the person's settings say about one thing now, for what happens between calls. */
  access(resource: Resource, caller?: RequestCaller): Promise<Mode>;
  /** To be called when `tools` or what is missing has changed: the server gets the new list. */
  changed(): void;
}

/** Tools that come together, and what they need on this machine. What is heavy is loaded in `open`. */
export interface Toolset {
  category: string;
  groups: readonly ToolGroup[];
  /** Whether it is closed when its groups are switched off, and opened again; else it stays open. */
  endsWhenOff?: true;
  /** Called before anything of it is offered: when one of its groups is switched on. */
  open(context: ToolsetContext): Promise<void>;
  /** What it offers now; its tools are of its groups alone. */
  tools(): readonly LazyTool[];
  /** Why it offers nothing and what to do, in at most 500 characters; null when nothing is missing. */
  missing(): string | null;
  /** What the person should know of what is offered, in a sentence of at most 500 characters. */
  warning?(): string | null;
  /** Where it has processes in the background: answers the person about them. */
  processes?(query: LocalProcessesQuery): Promise<ProcessesBody>;
  /** A call of one of its tools was withdrawn, or denied with a reason, before it ran. */
  withdrawn?(requestId: string, denialReason?: string): void;
  close(): Promise<void>;
}

/** A toolset whose tools need nothing but this program. */
export const plainToolset = (category: string, tools: readonly LazyTool[]): Toolset => ({
  category,
  groups: [...new Set(tools.map((tool) => tool.group))],
  open: async () => {},
  tools: () => tools,
  missing: () => null,
  close: async () => {},
});
