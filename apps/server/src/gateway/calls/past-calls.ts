import type {
  CallFilter,
  CallHistogram,
  CallHistogramInput,
  CallPage,
  CallsAround,
  CallSummary,
  CallVia,
  ListCallsInput,
} from '@drawbridge/contracts/calls';
import { errors } from '../../errors.ts';
import { toSummary } from './call.ts';
import { readCursor, type PastCallsStore } from './store/past-calls.store.ts';

/** What users look back at. A filter that names a machine or a token of another user finds nothing. */
export interface PastCalls {
  /** All of the user's, or those that came through one token or client. */
  list(userId: string, input: ListCallsInput, via?: CallVia): Promise<CallPage>;
  /** How many calls of the filter were made when. */
  histogram(userId: string, input: CallHistogramInput): Promise<CallHistogram>;
  /** The calls of the same machine before and after it. Throws `notFound`. */
  around(userId: string, requestId: string): Promise<CallsAround>;
  /** All calls of the filter, newest first. */
  all(userId: string, filter: CallFilter): AsyncGenerator<CallSummary, void, undefined>;
}

const readAtOnce = 500;
const iso = (at: number) => new Date(at).toISOString();

export const createPastCalls = (store: PastCallsStore): PastCalls => {
  const page = async (
    look: { owner: { userId: string; via: CallVia | undefined }; filter: CallFilter },
    { cursor, limit }: { cursor: string | undefined; limit: number },
  ): Promise<CallPage> => {
    const position = cursor === undefined ? null : readCursor(cursor);
    if (cursor !== undefined && position === null) throw errors.badRequest();
    const { calls, nextCursor } = await store.list(look, { cursor: position, limit });
    return { calls: calls.map(toSummary), nextCursor };
  };
  return {
    list: (userId, { cursor, limit, ...filter }, via) =>
      page({ owner: { userId, via }, filter }, { cursor, limit }),
    histogram: async (userId, { buckets, ...filter }) => {
      const look = { owner: { userId, via: undefined }, filter };
      const { from, to, countedFrom, ...counted } = await store.histogram(look, buckets);
      return {
        ...counted,
        from: iso(from),
        to: iso(to),
        countedFrom: countedFrom === null ? null : iso(countedFrom),
      };
    },
    around: async (userId, requestId) => {
      const found = await store.around(userId, requestId);
      if (found === null) throw errors.notFound();
      const { before, after } = found;
      return { before: before && toSummary(before), after: after && toSummary(after) };
    },
    all: async function* (userId, filter) {
      const look = { owner: { userId, via: undefined }, filter };
      let cursor: string | undefined;
      do {
        const { calls, nextCursor } = await page(look, { cursor, limit: readAtOnce });
        yield* calls;
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
};
