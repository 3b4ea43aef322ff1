import { createHash } from 'node:crypto';
import type { CallVia } from '@drawbridge/contracts/calls';
import { withoutConfirmation, type ToolCall } from '@drawbridge/contracts/tool-call';
import { createKeyedQueue, canonical, sleep, type Clock } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import type { CallRecord } from '../calls/call.ts';
import { newRequestId } from '../calls/calls.ts';
import type { GatewayLimits } from '../limits.ts';
import { isReading } from '../calls/call.ts';
import type { IdempotencyRow, IdempotencyStore } from './idempotency.store.ts';

/** The origin of a call; each token and client has its own idempotency keys. */
export interface CallOrigin {
  via: CallVia;
  machineId: string;
  /** The idempotency key that came with the call. */
  key?: string;
}

/** A call that may be made under `requestId`, or that was made before under `first`. */
export type CallClaim =
  | {
      kind: 'new';
      requestId: string;
      /** For `calls.open`, which makes the call only while the claim is valid; null without a key. */
      key: string | null;
      /** Call it with whether the call was opened; other claims of the key wait until then. */
      settle(opened: boolean): Promise<void>;
    }
  | { kind: 'repeat'; first: string; by: 'key' | 'undelivered' };

/** Distinguishes a repeated call from a new one. All of it survives a restart. */
export interface Idempotency {
  /**
   * The call of this key within `idempotencyKeyTtlMs`; without a key, an equal writing call with an
   * undelivered answer, for `unreadMs`. Throws `idempotencyKeyReused` and `tooManyRequests`.
   */
  claim(userId: string, call: ToolCall, origin: CallOrigin): Promise<CallClaim>;
  /** The answer of that call was not delivered, or was not its outcome. */
  undelivered(userId: string, requestId: string): Promise<void>;
  /** The outcome was delivered: an equal call is a new one from now on. */
  delivered(userId: string, requestId: string): Promise<void>;
  /**
   * Consumes a nonce; false if it was used within `idempotencyKeyTtlMs`. Throws `tooManyRequests` beyond the
   * limit of a token or client.
   */
  consumeNonce(used: { userId: string; via: CallVia; name: string }): Promise<boolean>;
}

interface IdempotencyNeeds {
  clock: Clock;
  limits: Pick<
    GatewayLimits,
    'claimMs' | 'idempotencyKeyTtlMs' | 'maxIdempotencyKeys' | 'maxSpentStates' | 'unreadMs' | 'maxUnread'
  >;
  store: IdempotencyStore;
  find(requestId: string): Promise<CallRecord | undefined>;
  /** No other server uses the store. */
  isAlone: boolean;
}

type ScopedRow = IdempotencyRow & { scope: string };

/** The interval for polling another server's claim of a key. */
const claimPollMs = 100;

const digestOf = (value: unknown) => createHash('sha256').update(canonical(value)).digest('hex');

const callDigestOf = (machineId: string, { name, arguments: args }: ToolCall) =>
  digestOf([machineId, name, withoutConfirmation(args)]);

/** Repeats are counted for each token and each client of a user separately. */
const makerOf = (userId: string, { kind, id }: CallVia) => [userId, kind, id];

/** Limits keys, unread calls and used states of one maker separately. */
const scopeOf = (counted: 'key' | 'unread' | 'spent', maker: string[]) => canonical([counted, ...maker]);

const unreadKey = (maker: string[], callDigest: string) => digestOf(['unread', maker, callDigest]);

/** The row of an unread call; null if its tool only reads, or it came from no token. */
const unreadNameOf = ({ userId, machineId, via, tool, arguments: args }: CallRecord) => {
  if (via === null || isReading(tool)) return null;
  const callDigest = callDigestOf(machineId, { name: tool, arguments: args });
  const maker = makerOf(userId, via);
  return { key: unreadKey(maker, callDigest), callDigest, scope: scopeOf('unread', maker) };
};

const unclaimed = (at: number): CallClaim => ({
  kind: 'new',
  requestId: newRequestId(at),
  key: null,
  settle: () => Promise.resolve(),
});

/** Cancelled before it started: it had no effect and needs no answer. */
const isAsNeverMade = ({ state, started }: CallRecord) => state === 'cancelled' && started === false;

export const createIdempotency = ({
  clock,
  limits,
  store,
  find,
  isAlone,
}: IdempotencyNeeds): Idempotency & {
  /** Marks the calls that a stopped server left open: their callers are gone. */
  recover(open: readonly CallRecord[]): Promise<void>;
} => {
  const queue = createKeyedQueue();
  /** Keys whose call is being opened; the promise resolves once that has succeeded or failed. */
  const opening = new Map<string, Promise<void>>();

  const sweep = () => store.sweep(clock.now() - limits.idempotencyKeyTtlMs);

  const isFull = async (scope: string, most: number) => (await store.count(scope)) >= most;

  const note = async (record: CallRecord) => {
    const name = unreadNameOf(record);
    if (!name) return;
    const { userId, requestId } = record;
    await sweep();
    await store.put({ ...name, userId, requestId, at: clock.now(), claimedUntil: null });
    await store.trim(name.scope, limits.maxUnread);
  };

  /** `elsewhere`: another server has claimed the key, and has not made its call yet. */
  const claimByKey = async (unclaimedRow: ScopedRow): Promise<CallClaim | 'elsewhere'> => {
    const row = { ...unclaimedRow, claimedUntil: clock.now() + limits.claimMs };
    await sweep();
    const present = await store.byKey(row.key);
    if (!present && (await isFull(row.scope, limits.maxIdempotencyKeys)))
      throw errors.tooManyRequests({ message: 'Too many idempotency keys are in use' });
    const stored = present ?? (await store.claim(row));
    if (stored.callDigest !== row.callDigest) throw errors.idempotencyKeyReused();
    if (stored.requestId !== row.requestId) {
      if (await find(stored.requestId)) return { kind: 'repeat', first: stored.requestId, by: 'key' };
      if ((stored.claimedUntil ?? 0) > clock.now()) return 'elsewhere';
      // Its server ended before it made the call.
      if (!(await store.takeOver(row, stored))) return 'elsewhere';
    }
    let release = () => {};
    const settled = new Promise<void>((resolve) => {
      release = resolve;
    });
    opening.set(row.key, settled);
    const settle = async (opened: boolean) => {
      if (!opened) await store.remove(row.key, row.requestId);
      opening.delete(row.key);
      release();
    };
    return { kind: 'new', requestId: row.requestId, key: row.key, settle };
  };

  const claimUnread = async (key: string): Promise<CallClaim> => {
    const row = await store.byKey(key);
    const first = row && (await find(row.requestId));
    const isFresh =
      first !== undefined &&
      (first.endedAt === null ||
        (clock.now() < Math.max(row?.at ?? 0, first.endedAt) + limits.unreadMs && !isAsNeverMade(first)));
    if (first && isFresh) return { kind: 'repeat', first: first.requestId, by: 'undelivered' };
    return unclaimed(clock.now());
  };

  const claim = async (userId: string, call: ToolCall, origin: CallOrigin): Promise<CallClaim> => {
    const { via, machineId, key: clientKey } = origin;
    if (clientKey === undefined && isReading(call.name)) return unclaimed(clock.now());
    const callDigest = callDigestOf(machineId, call);
    const maker = makerOf(userId, via);
    if (clientKey === undefined) return queue.run(userId, () => claimUnread(unreadKey(maker, callDigest)));
    const key = digestOf(['key', maker, clientKey]);
    const at = clock.now();
    const claimed = { claimedUntil: null, scope: scopeOf('key', maker), at };
    const row = { key, userId, requestId: newRequestId(at), callDigest, ...claimed };
    for (;;) {
      await opening.get(key);
      const result = await queue.run(userId, async () => (opening.has(key) ? 'opening' : claimByKey(row)));
      if (result === 'elsewhere') await sleep(clock, claimPollMs);
      else if (result !== 'opening') return result;
    }
  };

  const own = async (userId: string, requestId: string) => {
    const record = await find(requestId);
    return record?.userId === userId ? record : undefined;
  };

  return {
    claim,
    undelivered: (userId, requestId) =>
      queue.run(userId, async () => {
        const record = await own(userId, requestId);
        if (record) await note(record);
      }),
    delivered: (userId, requestId) =>
      queue.run(userId, async () => {
        const record = await own(userId, requestId);
        const name = record && unreadNameOf(record);
        if (name) await store.remove(name.key, requestId);
      }),
    consumeNonce: ({ userId, via, name }) =>
      queue.run(userId, async () => {
        await sweep();
        const key = digestOf(['spent', userId, name]);
        if (await store.byKey(key)) return false;
        const scope = scopeOf('spent', makerOf(userId, via));
        if (await isFull(scope, limits.maxSpentStates))
          throw errors.tooManyRequests({ message: 'Too many states of answered questions are in use' });
        const at = clock.now();
        const requestId = newRequestId(at);
        return (
          (await store.claim({ key, userId, requestId, callDigest: '', scope, at, claimedUntil: null }))
            .requestId === requestId
        );
      }),
    recover: async (open) => {
      if (isAlone) await store.endClaims();
      for (const record of open) await note(record);
    },
  };
};
