import type { LiveThreadEvent, StoredEvent } from '@drawbridge/contracts/agent/events';
import type { PartialText } from '@drawbridge/contracts/agent/threads';

/** What is being written, beside the numbered events. */
export interface LiveText {
  /** Texts without their block yet, in order of their beginning; one for each agent, step and kind. */
  texts: readonly PartialText[];
  /** Calls whose arguments are being written. */
  starting: readonly { agentId: string; toolCallId: string; toolName: string }[];
  /** What an agent does at this moment, by its id. */
  status: Readonly<Record<string, string>>;
  /** The newest step whose blocks have arrived, by agent: later deltas of it are dropped. */
  written: Readonly<Record<string, number>>;
}

export const noLive: LiveText = { texts: [], starting: [], status: {}, written: {} };

const isSame = (a: PartialText, b: Omit<PartialText, 'text'>) =>
  a.agentId === b.agentId && a.step === b.step && a.kind === b.kind;

const isWritten = (live: LiveText, { agentId, step }: { agentId: string; step: number }) =>
  step <= (live.written[agentId] ?? -1);

/** A repeated step may differ from the first try: what contradicts the known text replaces its end. */
const placed = (known: string, text: string, offset: number): string =>
  offset > known.length || known.startsWith(text, offset) ? known : known.slice(0, offset) + text;

const withDelta = (live: LiveText, delta: PartialText, offset: number): LiveText => {
  if (isWritten(live, delta)) return live;
  const known = live.texts.find((one) => isSame(one, delta)) ?? { ...delta, text: '' };
  const text = placed(known.text, delta.text, offset);
  if (text === known.text) return live;
  const { texts } = live;
  const next = { ...known, text };
  return {
    ...live,
    texts: texts.includes(known) ? texts.map((one) => (one === known ? next : one)) : [...texts, next],
  };
};

/** Adds a live event. A repeated delta is shown once; one after a gap is dropped. */
export const reduceLive = (live: LiveText, event: LiveThreadEvent): LiveText => {
  const { agentId } = event;
  if (agentId === null) return live;
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const kind = event.type === 'text-delta' ? 'text' : 'reasoning';
      const { step, text, offset } = event.payload;
      return withDelta(live, { agentId, step, kind, text }, offset);
    }
    case 'tool-input-start':
      return live.starting.some(({ toolCallId }) => toolCallId === event.payload.toolCallId)
        ? live
        : { ...live, starting: [...live.starting, { agentId, ...event.payload }] };
    case 'status':
      return { ...live, status: { ...live.status, [agentId]: event.payload.message } };
    default:
      event satisfies never;
      return live;
  }
};

const withoutAgent = (live: LiveText, agentId: string): LiveText => {
  const { [agentId]: _status, ...status } = live.status;
  return {
    ...live,
    status,
    texts: live.texts.filter((text) => text.agentId !== agentId),
    starting: live.starting.filter((call) => call.agentId !== agentId),
  };
};

const withWritten = (live: LiveText, agentId: string, step: number): LiveText => {
  const newest = Math.max(step, live.written[agentId] ?? -1);
  const texts = live.texts.filter((text) => text.agentId !== agentId || text.step > newest);
  return { ...live, texts, written: { ...live.written, [agentId]: newest } };
};

/** Drops what a stored event has replaced. */
export const settleLive = (live: LiveText, event: StoredEvent): LiveText => {
  const { agentId } = event;
  if (agentId === null) return live;
  switch (event.type) {
    case 'text-block':
    case 'reasoning-block':
      return withWritten(live, agentId, event.payload.step);
    case 'tool-call':
      return { ...live, starting: live.starting.filter((call) => call.agentId !== agentId) };
    case 'agent-completed':
    case 'run-finish':
      return withoutAgent(live, agentId);
    default:
      return live;
  }
};

/** The texts of a `run-sync`: they replace what was known of unwritten steps. */
export const liveOf = (live: LiveText, partial: readonly PartialText[]): LiveText => ({
  ...live,
  texts: partial.filter((text) => !isWritten(live, text)),
});
