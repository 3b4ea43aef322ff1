import { createBoundedMap, cutText, withoutHidden } from '@drawbridge/kit';
import type { MachineView } from '../ports/machine.ts';

const wordLength = 200;

/** A name from outside in one line, without hidden characters. */
const oneLine = (text: string): string => cutText(withoutHidden(text).text.replace(/\s+/g, ' '), wordLength);

const groupTitles: Record<string, string> = {
  filesystemRead: 'reading files',
  filesystemWrite: 'writing files',
  shell: 'shell',
  network: 'network of commands',
  computer: 'screen and input',
  browser: 'browser',
  mcp: 'its own MCP servers',
  runtime: 'coding agents',
  system: 'system',
};

const maxZones = 1_000;
const formats = createBoundedMap<string, Intl.DateTimeFormat>({ maxEntries: maxZones });

/** Made once of each time zone; throws for an unknown one. */
const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const format = formats.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeZone });
  formats.set(timeZone, format);
  return format;
};

/** The day, such as "Monday, 23 November 2026"; without the time, so that the prompt can be cached. */
export const dateLine = (now: number, timeZone: string | null): string => {
  const format = (zone: string) => formatOf(zone).format(now);
  try {
    return `Today is ${format(timeZone ?? 'UTC')}. Time zone of the person: ${timeZone ?? 'unknown; dates are in UTC'}.`;
  } catch {
    return `Today is ${format('UTC')} (UTC).`;
  }
};

const toolSummary = ({ tools }: MachineView): string => {
  const counts = new Map<string, number>();
  for (const { group } of tools) {
    const title = groupTitles[group ?? ''] ?? 'other';
    counts.set(title, (counts.get(title) ?? 0) + 1);
  }
  return [...counts].map(([title, count]) => `${title} (${count})`).join(', ');
};

export const machineLines = (machine: MachineView | null): string => {
  if (machine === null) return 'The person has not connected a machine. Tools that need one are missing.';
  const name = `Machine: "${oneLine(machine.name)}"`;
  if (!machine.isConnected) return `${name}, not connected now. Its tools are missing until it connects.`;
  const folder = machine.directory === null ? '' : ` Working folder: ${oneLine(machine.directory)}.`;
  const tools = machine.tools.length === 0 ? 'It offers no tools.' : `Its tools: ${toolSummary(machine)}.`;
  return `${name}, connected.${folder} ${tools}`;
};

export interface RunningTask {
  id: string;
  title: string;
  /** Such as `running` or `waits for the person`. */
  state: string;
}

export const taskLines = (tasks: readonly RunningTask[]): string[] =>
  tasks.length === 0
    ? []
    : [
        [
          'Tasks in the background:',
          ...tasks.map(({ id, title, state }) => `- ${id}: "${oneLine(title)}" (${state})`),
        ].join('\n'),
      ];

/** What is left of a limit, in the same unit as the limit. */
export interface Share {
  left: number;
  of: number;
}
export interface Budget {
  steps: Share;
  calls: Share;
  tokens: Share;
}

/** From this share on the prompt says what is left. */
const lowShare = 0.2;

/** In steps of 5 %, so that the prompt changes rarely. */
const percent = ({ left, of }: Share): number => Math.max(0, Math.floor((left / of) * 20) * 5);

export const budgetLines = (budget: Budget): string[] => {
  const low = Object.entries(budget)
    .filter(([, { left, of }]: [string, Share]) => left <= of * lowShare)
    .map(([name, share]: [string, Share]) => `${percent(share)} % of the ${name}`);
  return low.length === 0
    ? []
    : [`Left in this run: ${low.join(', ')}. Finish what matters most, then say what remains.`];
};
