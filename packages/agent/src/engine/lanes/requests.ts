import type { Place } from '../../turns/lanes/load-lane.ts';
import type { LaneRequest, RequestEnd, RequestEvent } from './request.ts';

/** A request that has not ended, with its sender's listeners. */
export interface OpenRequest extends LaneRequest {
  userId: string;
  threadId: string;
  place: Place;
  /** What has happened so far. */
  readonly events: readonly RequestEvent[];
}

interface Entry extends OpenRequest {
  events: RequestEvent[];
  listeners: Set<(event: RequestEvent) => void>;
  ended: PromiseWithResolvers<RequestEnd>;
}

/** What happens to a request once: a server that continues its run may find it again. */
const once = new Set<RequestEvent['type']>(['started', 'merged', 'steered', 'cancel-requested']);

/** Whether a sender has heard it already, or what comes after it. */
const isKnown = (event: RequestEvent, events: readonly RequestEvent[]): boolean =>
  events.some(
    ({ type }) => (type === event.type && once.has(type)) || (type === 'started' && event.type === 'queued'),
  );

export type Requests = ReturnType<typeof createRequests>;

/** Requests that this process has accepted and not ended. What must survive a restart is rows. */
export const createRequests = (onError: (error: unknown) => void) => {
  const entries = new Map<string, Entry>();

  /** Joins one that is open: the same message may be repeated, and brought by a row, at one moment. */
  const open = ({
    requestId,
    userId,
    threadId,
    place,
  }: Pick<OpenRequest, 'requestId' | 'userId' | 'threadId' | 'place'>): OpenRequest => {
    const known = entries.get(requestId);
    if (known) return Object.assign(known, { place });
    const ended = Promise.withResolvers<RequestEnd>();
    const events: RequestEvent[] = [];
    const listeners = new Set<(event: RequestEvent) => void>();
    const entry: Entry = {
      requestId,
      userId,
      threadId,
      place,
      events,
      listeners,
      ended,
      done: ended.promise,
      listen: (listener) => {
        for (const event of events) listener(event);
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    };
    entries.set(requestId, entry);
    return entry;
  };

  return {
    open,
    get: (requestId: string): OpenRequest | undefined => entries.get(requestId),
    ofThread: (userId: string, threadId: string): OpenRequest[] =>
      [...entries.values()].filter((entry) => entry.userId === userId && entry.threadId === threadId),
    publish: (requestId: string, event: RequestEvent) => {
      const entry = entries.get(requestId);
      if (!entry || isKnown(event, entry.events)) return;
      entry.events.push(event);
      for (const listener of entry.listeners) {
        try {
          listener(event);
        } catch (error) {
          onError(error);
        }
      }
    },
    move: (requestId: string, place: Place) => {
      const entry = entries.get(requestId);
      if (entry) entry.place = place;
    },
    /** Another process ends it. */
    forget: (requestId: string) => void entries.delete(requestId),
    /** Ends a request once. */
    end: (requestId: string, end: RequestEnd) => {
      entries.get(requestId)?.ended.resolve(end);
      entries.delete(requestId);
    },
  };
};
