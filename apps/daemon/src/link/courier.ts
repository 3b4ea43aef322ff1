import { responsesLimits } from '@drawbridge/contracts';
import { endOfTurn, type Clock } from '@drawbridge/kit';
import { isFinal } from './failure.ts';
import type { Reply } from './server-api.ts';

/** A result on its way to the server: the JSON text of a `ResponseBody`. */
export interface Letter {
  requestId: string;
  body: string;
}

export interface CourierNeeds {
  clock: Clock;
  post(letter: Letter): Promise<Reply<null>>;
  /** Several in one request, with what the server says of each, in their order. */
  postAll(letters: readonly Letter[]): Promise<Reply<Reply<null>[]>>;
  /** Whether the server has said that it takes several in one request. */
  takesSeveral(): boolean;
}

export interface Parcel {
  letter: Letter;
  /** Brought before, and not taken: it goes alone, so that nothing else of its request stands in its way again. */
  again: boolean;
  /** Hears what came of it, once. */
  answered(reply: Reply<null>): void;
}

/** Brings each letter once: the large ones few at a time, small ones together where several are ready. */
export interface Courier {
  /** The returned function keeps back a letter that has not left. */
  bring(parcel: Parcel): () => void;
}

/** Letters of at least `largeLength` characters are posted so many at a time; none of the others waits for them. */
export const largeLength = 64 * 1024;
export const largePosts = 2;

/** While so many posts of small letters are under way, those that come wait for each other, */
export const smallPosts = 8;
/** but never longer than this: one post that takes long holds nothing up. */
export const waitMs = 20;

/** What the list around them takes, and each one beside its body and its id. */
const envelopeBytes = 32;

const bytesOf = ({ requestId, body }: Letter) => Buffer.byteLength(body) + requestId.length + envelopeBytes;

/** Takes as many as go into one request off the line, at least one. */
const takeFrom = (line: Set<Parcel>): Parcel[] => {
  const taken: Parcel[] = [];
  let bytes = envelopeBytes;
  for (const parcel of line) {
    bytes += bytesOf(parcel.letter);
    const isFull = taken.length === responsesLimits.maxResponses || bytes > responsesLimits.maxBytes;
    if (isFull && taken.length > 0) break;
    taken.push(parcel);
    line.delete(parcel);
  }
  return taken;
};

export const createCourier = ({ clock, post, postAll, takesSeveral }: CourierNeeds): Courier => {
  const large = new Set<Parcel>();
  const small = new Set<Parcel>();
  let largeUnderWay = 0;
  let smallUnderWay = 0;
  let isGathering = false;
  let waiting: (() => void) | null = null;

  const postOne = async ({ letter, answered }: Parcel) => answered(await post(letter));

  const leaveLarge = async (): Promise<void> => {
    const [parcel] = large;
    if (!parcel || largeUnderWay >= largePosts) return;
    large.delete(parcel);
    largeUnderWay += 1;
    const reply = await post(parcel.letter);
    largeUnderWay -= 1;
    void leaveLarge();
    parcel.answered(reply);
  };

  const postSeveral = async (parcels: Parcel[]): Promise<void> => {
    const reply = await postAll(parcels.map(({ letter }) => letter));
    // Refused as a whole it says nothing of any of them.
    if (!reply.ok && isFinal(reply.status)) for (const parcel of parcels) void postOne(parcel);
    else
      for (const [at, { answered }] of parcels.entries()) {
        const own = reply.ok ? reply.value[at] : reply;
        if (own) answered(own);
      }
  };

  const leave = async (): Promise<void> => {
    const parcels = takeFrom(small);
    if (small.size === 0) stopWaiting();
    smallUnderWay += 1;
    if (parcels.length > 1 && takesSeveral()) await postSeveral(parcels);
    else await Promise.all(parcels.map(postOne));
    smallUnderWay -= 1;
    leaveWhereFree();
  };

  const leaveAll = () => {
    stopWaiting();
    while (small.size > 0) void leave();
  };

  const leaveWhereFree = () => {
    while (small.size > 0 && smallUnderWay < smallPosts) void leave();
    if (small.size > 0) waiting ??= clock.after(waitMs, leaveAll);
  };

  const stopWaiting = () => {
    waiting?.();
    waiting = null;
  };

  const gather = async () => {
    if (isGathering) return;
    isGathering = true;
    await endOfTurn();
    isGathering = false;
    leaveWhereFree();
  };

  const bringSmall = (parcel: Parcel) => {
    if (parcel.again || !takesSeveral()) return void postOne(parcel);
    small.add(parcel);
    if (smallUnderWay === 0) void leave();
    else void gather();
  };

  return {
    bring: (parcel) => {
      if (parcel.letter.body.length < largeLength) bringSmall(parcel);
      else {
        large.add(parcel);
        void leaveLarge();
      }
      return () => {
        large.delete(parcel);
        if (small.delete(parcel) && small.size === 0) stopWaiting();
      };
    },
  };
};
