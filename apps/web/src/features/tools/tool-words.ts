import type { Tool } from '@drawbridge/contracts/tool';
import { toolLabel } from '../calls/call-verbs.ts';

/** A tool's title; without one, its name in words. */
export const toolTitle = ({ title, annotations, name }: Tool): string =>
  title ?? annotations?.title ?? toolLabel(name);

export interface ToolSet {
  group: string;
  tools: Tool[];
}

/** The tools that match a search, by group, in the order in which the machine named the groups. */
export const toolSets = (tools: readonly Tool[], search: string): ToolSet[] => {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const sets = new Map<string, Tool[]>();
  for (const tool of tools) {
    const text = `${tool.name} ${toolTitle(tool)} ${tool.description ?? ''}`.toLowerCase();
    if (!words.every((word) => text.includes(word))) continue;
    const group = tool.annotations?.category ?? 'Other';
    sets.set(group, [...(sets.get(group) ?? []), tool]);
  }
  return [...sets].map(([group, members]) => ({ group, tools: members }));
};
