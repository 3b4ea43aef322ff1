import { maxMemoryLength, memorySections, type MemorySection } from '@drawbridge/contracts/agent/memory';
import { withoutHidden } from '@drawbridge/kit';
import type { AgentNeeds } from '../ports/needs.ts';
import { block } from '../prompt/untrusted.ts';
import type { Work } from '../rows/load.ts';
import type { MemoryRow } from '../rows/rows.ts';
import type { AgentStore } from '../rows/store.ts';

export type Sections = MemoryRow['sections'];

export interface MemoryChange {
  section: MemorySection;
  text: string;
  /** `add`: a line more. `replace`: the whole section. `remove`: the lines that contain the text. */
  mode: 'add' | 'replace' | 'remove';
}

export type MemoryOutcome = { ok: true; sections: Sections } | { ok: false; problem: string };

const titles: Record<MemorySection, string> = {
  person: 'About the person',
  preferences: 'Preferences',
  projects: 'Projects',
  notes: 'Notes',
};

const lengthOf = (sections: Sections): number =>
  Object.values(sections).reduce((length, text) => length + text.length, 0);

const changed = (lines: readonly string[], text: string, mode: MemoryChange['mode']): string[] => {
  switch (mode) {
    case 'add':
      return lines.includes(text) ? [...lines] : [...lines, text];
    case 'replace':
      return [text];
    case 'remove':
      return lines.filter((line) => !line.toLowerCase().includes(text.toLowerCase()));
    default:
      return mode satisfies never;
  }
};

/** The sections after one change, or why it is refused, as a sentence for the model. */
export const changeMemory = (sections: Sections, { section, text, mode }: MemoryChange): MemoryOutcome => {
  const line = withoutHidden(text).text.replace(/\s+/g, ' ').trim();
  if (line === '') return { ok: false, problem: 'The text is empty.' };
  const lines = (sections[section] ?? '').split('\n').filter((one) => one !== '');
  const next = changed(lines, line, mode);
  if (mode === 'remove' && next.length === lines.length) {
    return { ok: false, problem: `No line of "${section}" contains this text.` };
  }
  const result = { ...sections, [section]: next.join('\n') };
  if (lengthOf(result) > maxMemoryLength) {
    const problem = `The memory would be longer than ${maxMemoryLength} characters. Remove or shorten something first.`;
    return { ok: false, problem };
  }
  return { ok: true, sections: result };
};

/** The part of the namespace that each section belongs to. */
const places: Record<MemorySection, string> = {
  person: 'profile',
  preferences: 'profile',
  projects: 'working',
  notes: 'working',
};

/** The memory as the model reads it, such as `user/profile`; null when it is empty. */
export const memoryText = (sections: Sections, namespace: string): string | null => {
  const parts = memorySections.flatMap((section) => {
    const text = sections[section] ?? '';
    return text === '' ? [] : [`## ${titles[section]} (${namespace}/${places[section]})\n${text}`];
  });
  return parts.length === 0 ? null : block('working-memory', parts.join('\n'));
};

/** What is known of a user; empty before anything is. */
export const memoryOf = async (store: AgentStore, userId: string): Promise<MemoryRow> => {
  const [row] = await store.find('agentMemory', { userId });
  return row ?? { userId, sections: {}, enabled: true, version: 0, updatedAt: 0 };
};

/** The row after a change, with the next version. */
export const memoryRow = (
  row: MemoryRow,
  { now, ...change }: Partial<Pick<MemoryRow, 'sections' | 'enabled'>> & { now: number },
): MemoryRow => ({ ...row, ...change, version: row.version + 1, updatedAt: now });

type Reads = Pick<AgentNeeds, 'config' | 'store'>;

/** Whether an agent may know what is remembered of the person. */
export const usesMemory = async ({ config }: Reads, { agent, run }: Pick<Work, 'agent' | 'run'>) =>
  agent.kind === 'main' && run.usesMemory && (await config()).memoryNamespace !== null;

/** Whether it may add to it: the person has not switched it off. */
export const mayRemember = async (ctx: Reads, work: Pick<Work, 'agent' | 'run'>): Promise<boolean> =>
  (await usesMemory(ctx, work)) && (await memoryOf(ctx.store, work.run.userId)).enabled;
