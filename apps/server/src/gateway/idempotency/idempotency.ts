import { createHash } from 'node:crypto';
import type { CallVia } from '@drawbridge/contracts/calls';
import { withoutConfirmation, type ToolCall } from '@drawbridge/contracts/tool-call';
import { canonical, createKeyedQueue, sleep, type Clock } from '@drawbridge/kit';
import type { Once, OnceRow } from '../../db/index.ts';
import { errors } from '../../errors.ts';
import type { CallRecord } from '../calls/call.ts';
import { newRequestId } from '../calls/calls.ts';
import type { GatewayLimits } from '../limits.ts';
import { isReading } from '../calls/call.ts';

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
  store: Once;
  find(requestId: string): Promise<CallRecord | undefined>;
  /** No other server uses the store. */
  isAlone: boolean;
}

interface Context extends IdempotencyNeeds {
  /** By user. */
  queue: ReturnType<typeof createKeyedQueue>;
  /** Keys with a call that is being opened; the promise resolves once that has succeeded or failed. */
  opening: Map<string, Promise<void>>;
}

/** The interval for polling another server's claim of a key. */
const claimPollMs = 100;

const digestOf = (value: unknown) => createHash('sha256').update(canonical(value)).digest('hex');

const callDigestOf = (machineId: string, { name, arguments: args }: ToolCall) =>
  digestOf([machineId, name, withoutConfirmation(args)]);

/** Repeats are counted for each token and each client of a user separately. */
const makerOf = (userId: string, { kind, id }: CallVia) => [userId, kind, id];

/** Limits keys, unread calls and used states of one maker separately. */
const scopeOf = (counted: 'key' | 'unread' | 'spent', maker: string[]) => canonical([counted, ...maker]);

type RowName = Pick<OnceRow, 'scope' | 'key' | 'digest'>;

const unreadName = (maker: string[], digest: string): RowName => ({
  scope: scopeOf('unread', maker),
  key: digestOf(['unread', maker, digest]),
  digest,
});

/** The row of an unread call; null if its tool only reads, or it came from no token. */
const unreadNameOf = ({ userId, machineId, via, tool, arguments: args }: CallRecord): RowName | null =>
  via === null || isReading(tool)
    ? null
    : unreadName(makerOf(userId, via), callDigestOf(machineId, { name: tool, arguments: args }));

/** A row for a call that is made now. */
const newRow = ({ clock, limits }: Context, userId: string, name: RowName): OnceRow => {
  const at = clock.now();
  const endsAt = at + limits.idempotencyKeyTtlMs;
  return { ...name, subject: newRequestId(at), userId, at, endsAt, claimedUntil: null };
};

const unclaimed = (at: number): CallClaim => ({
  kind: 'new',
  requestId: newRequestId(at),
  key: null,
  settle: () => Promise.resolve(),
});

/** Cancelled before it started: it had no effect and needs no answer. */
const isAsNeverMade = ({ state, started }: CallRecord) => state === 'cancelled' && started === false;

const sweep = ({ store, clock }: Context) => store.sweep(clock.now());

const refuseWhenFull = async (
  { store }: Context,
  scope: string,
  { most, message }: { most: number; message: string },
) => {
  if ((await store.count(scope)) >= most) throw errors.tooManyRequests({ message });
};

const markUndelivered = async (ctx: Context, record: CallRecord) => {
  const name = unreadNameOf(record);
  if (!name) return;
  await sweep(ctx);
  await ctx.store.put({ ...newRow(ctx, record.userId, name), subject: record.requestId });
  await ctx.store.trim(name.scope, ctx.limits.maxUnread);
};

/** `elsewhere`: another server has claimed the key, and has not made its call yet. */
const claimByKey = async (ctx: Context, unclaimedRow: OnceRow): Promise<CallClaim | 'elsewhere'> => {
  const { store, clock, limits, opening } = ctx;
  const row = { ...unclaimedRow, claimedUntil: clock.now() + limits.claimMs };
  await sweep(ctx);
  const present = await store.find(row.key);
  if (!present) {
    const message = 'Too many idempotency keys are in use';
    await refuseWhenFull(ctx, row.scope, { most: limits.maxIdempotencyKeys, message });
  }
  const stored = present ?? (await store.claim(row));
  if (stored.digest !== row.digest) throw errors.idempotencyKeyReused();
  if (stored.subject !== row.subject) {
    if (await ctx.find(stored.subject)) return { kind: 'repeat', first: stored.subject, by: 'key' };
    if ((stored.claimedUntil ?? 0) > clock.now()) return 'elsewhere';
    // Its server ended before it made the call.
    if (!(await store.takeOver(row, stored))) return 'elsewhere';
  }
  const settled = Promise.withResolvers<void>();
  opening.set(row.key, settled.promise);
  const settle = async (opened: boolean) => {
    if (!opened) await store.remove(row);
    opening.delete(row.key);
    settled.resolve();
  };
  return { kind: 'new', requestId: row.subject, key: row.key, settle };
};

const claimUnread = async ({ store, clock, limits, find }: Context, name: RowName): Promise<CallClaim> => {
  const row = await store.find(name.key);
  const first = row && (await find(row.subject));
  const isFresh =
    first !== undefined &&
    (first.endedAt === null ||
      (clock.now() < Math.max(row?.at ?? 0, first.endedAt) + limits.unreadMs && !isAsNeverMade(first)));
  if (first && isFresh) return { kind: 'repeat', first: first.requestId, by: 'undelivered' };
  return unclaimed(clock.now());
};

const claim = async (
  ctx: Context,
  userId: string,
  call: ToolCall,
  { via, machineId, key: clientKey }: CallOrigin,
): Promise<CallClaim> => {
  const { clock, queue, opening } = ctx;
  if (clientKey === undefined && isReading(call.name)) return unclaimed(clock.now());
  const digest = callDigestOf(machineId, call);
  const maker = makerOf(userId, via);
  if (clientKey === undefined) return queue.run(userId, () => claimUnread(ctx, unreadName(maker, digest)));
  const key = digestOf(['key', maker, clientKey]);
  const row = newRow(ctx, userId, { scope: scopeOf('key', maker), key, digest });
  for (;;) {
    await opening.get(key);
    const result = await queue.run(userId, async () => (opening.has(key) ? 'opening' : claimByKey(ctx, row)));
    if (result === 'elsewhere') await sleep(clock, claimPollMs);
    else if (result !== 'opening') return result;
  }
};

const consumeNonce = async (
  ctx: Context,
  { userId, via, name }: { userId: string; via: CallVia; name: string },
): Promise<boolean> => {
  await sweep(ctx);
  const scope = scopeOf('spent', makerOf(userId, via));
  const row = newRow(ctx, userId, { scope, key: digestOf(['spent', userId, name]), digest: '' });
  if (await ctx.store.find(row.key)) return false;
  const message = 'Too many states of answered questions are in use';
  await refuseWhenFull(ctx, scope, { most: ctx.limits.maxSpentStates, message });
  return (await ctx.store.once(row, () => Promise.resolve())).kind === 'made';
};

export const createIdempotency = (
  needs: IdempotencyNeeds,
): Idempotency & {
  /** Marks the calls that a stopped server left open: their callers are gone. */
  recover(open: readonly CallRecord[]): Promise<void>;
} => {
  const ctx: Context = { ...needs, queue: createKeyedQueue(), opening: new Map() };
  const { store, queue } = ctx;

  const own = async (userId: string, requestId: string) => {
    const record = await ctx.find(requestId);
    return record?.userId === userId ? record : undefined;
  };

  return {
    claim: (userId, call, origin) => claim(ctx, userId, call, origin),
    undelivered: (userId, requestId) =>
      queue.run(userId, async () => {
        const record = await own(userId, requestId);
        if (record) await markUndelivered(ctx, record);
      }),
    delivered: (userId, requestId) =>
      queue.run(userId, async () => {
        const record = await own(userId, requestId);
        const name = record && unreadNameOf(record);
        if (name) await store.remove({ key: name.key, subject: requestId });
      }),
    consumeNonce: (used) => queue.run(used.userId, () => consumeNonce(ctx, used)),
    recover: async (open) => {
      if (ctx.isAlone) await store.endClaims();
      for (const record of open) await markUndelivered(ctx, record);
    },
  };
};
