import { callOutcomes } from '@drawbridge/contracts/agent/events';
import type { ViewCall, ViewEntry } from '@drawbridge/contracts/agent/threads';
import { counted, duration } from '../../../ui/text/format.ts';
import { kindWords, outcomeLabels, toneOf, type LinePart } from './call-words.ts';

/** The fewest ended calls in a row that are folded into one line. */
const leastFolded = 4;

/** Entries of an agent: one as it is, or calls that have ended, with what was thought between them. */
export type EntryGroup =
  | { type: 'one'; key: string; entry: ViewEntry }
  | { type: 'calls'; key: string; entries: ViewEntry[] };

/** A call that has ended and left nothing to look at or to answer. */
const isFoldable = (call: ViewCall | undefined, isAsked: boolean): boolean =>
  call !== undefined && call.outcome !== null && !isAsked && !call.pictures && !call.files;

interface Known {
  calls: Readonly<Record<string, ViewCall>>;
  /** Whether a call has an open question. */
  isAsked(toolCallId: string): boolean;
}

const agentTools = ['delegate', 'send-to-sub-agent'];

/** A call that gives work to a sub-agent, whose line says it as well. */
const startsAgent = (call: ViewCall | undefined): boolean =>
  call !== undefined &&
  agentTools.includes(call.toolName) &&
  (call.outcome === null || call.outcome === 'ok');

/** The entries of an agent with its ended calls in groups; `key` stays the same while entries are added. */
export const entryGroups = (entries: readonly ViewEntry[], { calls, isAsked }: Known): EntryGroup[] => {
  const groups: EntryGroup[] = [];
  const lastAgent = entries.findLastIndex(({ type }) => type === 'agent');
  let [from, to, count] = [0, 0, 0];
  const one = (at: number) => {
    const entry = entries[at];
    if (entry) groups.push({ type: 'one', key: `${at}`, entry });
  };
  /** `to` is behind the last call: what is thought after it belongs to what follows. */
  const close = (end: number) => {
    if (count >= leastFolded) {
      groups.push({ type: 'calls', key: `${from} calls`, entries: entries.slice(from, to) });
      from = to;
    }
    for (let at = from; at < end; at += 1) one(at);
    [from, to, count] = [end, end, 0];
  };
  for (const [at, entry] of entries.entries()) {
    const call = entry.type === 'tool' ? calls[entry.toolCallId] : undefined;
    if (entry.type === 'tool' && at < lastAgent && startsAgent(call) && !isAsked(entry.toolCallId)) {
      close(at);
      [from, to] = [at + 1, at + 1];
    } else if (entry.type === 'tool' && isFoldable(call, isAsked(entry.toolCallId))) {
      to = at + 1;
      count += 1;
    } else if (entry.type !== 'reasoning') {
      close(at);
      one(at);
      [from, to] = [at + 1, at + 1];
    }
  }
  close(entries.length);
  return groups;
};

/** What the calls of a group are, how many of them did not succeed, and how long they took together. */
export const groupWords = (calls: readonly ViewCall[]): { text: string; parts: LinePart[] } => {
  const ends = callOutcomes.flatMap((outcome) => {
    const count = calls.filter((call) => call.outcome === outcome).length;
    const label = outcomeLabels[outcome];
    return label === '' || count === 0 ? [] : [{ text: `${count} ${label}`, ...toneOf(outcome) }];
  });
  const from = Math.min(...calls.map(({ startedAt }) => startedAt));
  const to = Math.max(...calls.map(({ startedAt, endedAt }) => endedAt ?? startedAt));
  return {
    text: `${counted(calls.length, 'call')}: ${kindWords(calls)}`,
    parts: [...ends, { text: duration(to - from) }],
  };
};
