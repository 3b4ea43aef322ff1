import {
  callMaker,
  callRuling,
  callState,
  maxSearchLength,
  type CallFilter,
  type CallSummary,
} from '@drawbridge/contracts/calls';
import { isoTime, machineId } from '@drawbridge/contracts/ids';
import type { LocationQuery, LocationQueryRaw } from 'vue-router';

/** The time ranges that end now, in milliseconds. */
export const spans = { '1h': 3_600_000, '24h': 86_400_000, '7d': 604_800_000, '30d': 2_592_000_000 } as const;
export type Span = keyof typeof spans;
export const standardSpan: Span = '24h';

const isSpan = (text: string): text is Span => Object.hasOwn(spans, text);

/** The filters of the page as its address has them; empty texts select everything. */
export interface ActivityFilter {
  machine: string;
  by: string;
  tool: string;
  state: string;
  ruling: string;
  q: string;
  /** A span, `all`, or a time. */
  from: string;
  /** A time; empty for now. */
  to: string;
}

const names = ['machine', 'by', 'tool', 'state', 'ruling', 'q', 'from', 'to'] as const;

/** Whether a value of an address fits; another one selects everything. */
const fits: Record<(typeof names)[number], (text: string) => boolean> = {
  machine: (text) => machineId.safeParse(text).success,
  by: (text) => callMaker.safeParse(text).success,
  tool: (text) => text.length <= 128,
  state: (text) => callState.safeParse(text).success,
  ruling: (text) => callRuling.safeParse(text).success,
  q: (text) => text.trim() !== '' && text.length <= maxSearchLength,
  from: (text) => isSpan(text) || text === 'all' || isoTime.safeParse(text).success,
  to: (text) => isoTime.safeParse(text).success,
};

export const readFilter = (query: LocationQuery): ActivityFilter => {
  const read = (name: (typeof names)[number]) => {
    const value = query[name];
    return typeof value === 'string' && fits[name](value) ? value : '';
  };
  return {
    machine: read('machine'),
    by: read('by'),
    tool: read('tool'),
    state: read('state'),
    ruling: read('ruling'),
    q: read('q'),
    from: read('from') || standardSpan,
    to: read('to'),
  };
};

/** The shortest address of a filter. */
export const toQuery = (filter: ActivityFilter): LocationQueryRaw =>
  Object.fromEntries(
    names
      .filter((name) => filter[name] !== '' && !(name === 'from' && filter.from === standardSpan))
      .map((name) => [name, filter[name]]),
  );

const fromOf = (from: string, now: number): string | undefined => {
  if (from === 'all') return undefined;
  return isSpan(from) ? new Date(now - spans[from]).toISOString() : from;
};

/** The filter as the server takes it, with a span as it is at `now`. */
export const toInput = (filter: ActivityFilter, now: number): CallFilter => {
  const state = callState.safeParse(filter.state);
  const ruling = callRuling.safeParse(filter.ruling);
  const from = fromOf(filter.from, now);
  return {
    ...(filter.machine && { machine: filter.machine }),
    ...(filter.by && { by: filter.by }),
    ...(filter.tool && { tool: filter.tool }),
    ...(state.success && { state: state.data }),
    ...(ruling.success && { ruling: ruling.data }),
    ...(filter.q && { q: filter.q.trim() }),
    ...(from !== undefined && { from }),
    ...(filter.to && { to: filter.to }),
  };
};

/** Whether anything but the time range is selected. */
export const isNarrowed = ({ from: _from, to: _to, ...rest }: ActivityFilter): boolean =>
  Object.values(rest).some((text) => text !== '');

const madeBy = ({ via }: CallSummary, by: string): boolean => {
  if (by === 'panel') return via === undefined;
  if (by === 'chat') return via?.kind === 'thread';
  return via !== undefined && by === `${via.kind}:${via.id}`;
};

/** Whether a call that came live belongs into the list of that filter, as the server would say. */
export const selects = (filter: CallFilter, call: CallSummary): boolean => {
  const { machine, by, tool, state, ruling, q, from, to } = filter;
  const at = Date.parse(call.createdAt);
  return (
    (machine === undefined || call.machineId === machine) &&
    (by === undefined || madeBy(call, by)) &&
    (tool === undefined || call.tool === tool) &&
    (state === undefined || call.state === state) &&
    (ruling === undefined || call.ruling === ruling) &&
    (q === undefined || call.subject.toLowerCase().includes(q.toLowerCase())) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to))
  );
};
