import type { CallEvent, CallSummary } from '@drawbridge/contracts/calls';
import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import { createBoundedMap, hasCode } from '@drawbridge/kit';
import { isOpen, isOwn } from '../callers/index.ts';
import { orNothing } from './read.ts';
import type { TopicEvent, TopicSource } from './topics.ts';

/** The newest calls that are read for a reader that names no other number. */
const newestCalls = 50;
/** How many calls or questions a reader's states are compared with. */
const known = 1_000;

const outputLength = (event: CallEvent): number =>
  event.type === 'progress' ? (event.output?.length ?? 0) : 0;
const toEvent = (event: CallEvent): TopicEvent => ({ topic: 'calls', event });

/** The live output of all calls of a user, from now on. */
export const outputTopic: TopicSource =
  ({ gateway }, { user: { userId } }) =>
  (feed) => ({
    ...gateway.calls.onChanged(userId, (event) => {
      if (event.type === 'progress') feed.push(() => [toEvent(event)], outputLength(event));
    }),
    again: () => {},
  });

/** The states of calls, each newer than the one before, whatever the messages say. */
const createStates = (isShown: (call: CallSummary) => boolean) => {
  const revs = createBoundedMap<string, number>({ maxEntries: known });
  const open = new Set<string>();
  return {
    open,
    know: (call: CallSummary): boolean => {
      const { requestId, rev } = call;
      if (!isShown(call) || rev <= (revs.get(requestId) ?? -1)) return false;
      revs.set(requestId, rev);
      if (isOpen(call)) open.add(requestId);
      else open.delete(requestId);
      return true;
    },
  };
};

/** Calls of the caller, and what open ones print. A reader that comes back gets the newest ones again. */
export const callsTopic: TopicSource =
  (ctx, { user, since, replayedCalls: limit = newestCalls }) =>
  (feed) => {
    const { calls } = ctx.gateway;
    const { userId, via } = user;
    const caller = { ...user, scopes: 'all' as const };
    const states = createStates((call) => isOwn(caller, call));
    const news = (list: readonly CallSummary[]): TopicEvent[] =>
      list.filter(states.know).map((call) => toEvent({ type: 'call', call }));
    const take = (event: CallEvent): TopicEvent[] => {
      if (event.type === 'call') return news([event.call]);
      // Of the calls of a token those are known by id; to a person all are shown.
      return via === undefined || states.open.has(event.requestId) ? [toEvent(event)] : [];
    };
    const newest = async () => (await calls.list(userId, { limit }, via)).calls.toReversed();
    const printed = () => calls.liveOutputs(userId).flatMap(take);

    const first = async (): Promise<TopicEvent[]> => {
      if (since === undefined && via === undefined) return printed();
      const events = news(await newest());
      return [...(since === undefined ? [] : events), ...printed()];
    };
    const ifThere = (requestId: string): Promise<CallSummary[]> =>
      calls.get(userId, requestId).then(
        ({ arguments: _arguments, result: _result, ...summary }) => [summary],
        (error: unknown) => {
          if (hasCode(error, 'NOT_FOUND')) return [];
          throw error;
        },
      );
    const missed = async (): Promise<TopicEvent[]> => {
      const list = await newest();
      const listed = new Set(list.map(({ requestId }) => requestId));
      const others = [...states.open].filter((requestId) => !listed.has(requestId));
      const more = await Promise.all(others.map(ifThere));
      return [...news([...more.flat(), ...list]), ...printed()];
    };
    feed.due('first calls', first);
    const push = (event: CallEvent) => feed.push(() => take(event), outputLength(event));
    const { ask, stop: stopOutputs } = calls.watchOutputs(userId, push);
    const { ready, stop } = calls.onChanged(userId, push, () => {
      feed.due('calls', orNothing(ctx, missed));
      ask();
    });
    return {
      ready: ready.then(ask),
      stop: () => {
        stop();
        stopOutputs();
      },
    };
  };

/** Questions that are asked, and how each was closed; what has closed does not open again. */
export const confirmationsTopic: TopicSource =
  (ctx, { user: { userId } }) =>
  (feed) => {
    const { confirmations } = ctx.gateway;
    /** Those that are open, and of them those that the reader was given. */
    const open = new Set<string>();
    const given = new Set<string>();
    const closed = createBoundedMap<string, true>({ maxEntries: known });
    const take = (event: ConfirmationEvent): TopicEvent[] => {
      const { id, state } = event.confirmation;
      if (closed.get(id) === true || (state === 'open' && given.has(id))) return [];
      if (state === 'open') for (const ids of [open, given]) ids.add(id);
      else {
        for (const ids of [open, given]) ids.delete(id);
        closed.set(id, true);
      }
      return [{ topic: 'confirmations', event }];
    };
    const missed = async (): Promise<TopicEvent[]> => {
      const list = await confirmations.list(userId);
      const listed = new Set(list.map(({ id }) => id));
      const gone = [...open].filter((id) => !listed.has(id));
      const ended = await Promise.all(gone.map((id) => confirmations.get(userId, id)));
      const fresh = list.filter(({ id }) => !open.has(id));
      return [...ended, ...fresh].flatMap((confirmation) => take({ type: 'confirmation', confirmation }));
    };
    const again = () => feed.due('confirmations', orNothing(ctx, missed));
    // The reader lists what is open: that is known, so that its end is seen after a gap.
    feed.due('first confirmations', async () => {
      for (const { id } of await confirmations.list(userId)) open.add(id);
      return [];
    });
    return { ...confirmations.onChanged(userId, (event) => feed.push(() => take(event)), again), again };
  };
