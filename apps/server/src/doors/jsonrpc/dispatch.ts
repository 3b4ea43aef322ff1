import { CodedError } from '@drawbridge/kit';
import { errors } from '../../errors.ts';
import { toCoded } from '../../http/index.ts';
import type { Connection } from './connection.ts';
import type { RpcContext } from './context.ts';
import { obstacleFor } from './identity.ts';
import { methods } from './methods.ts';
import { failureOf, type Failure } from './protocol/error.ts';
import type { Incoming } from './protocol/frame.ts';
import { errorFrame } from './protocol/reply.ts';
import type { OpenRequest } from './protocol/requests.ts';

/** Takes the last frame of a member; null for one that gets none. */
export type Settle = (frame: object | null) => void;

type Called = Extract<Incoming, { kind: 'call' | 'notification' }>;

/** A member that was read, with the connection that it came from. */
interface Arrived<Member> {
  connection: Connection;
  member: Member;
  settle: Settle;
}

/** An error whose code goes with further facts, such as the time until the next try. */
class FailedWith extends Error {
  readonly coded: CodedError;
  readonly facts: Record<string, unknown>;
  constructor(coded: CodedError, facts: Record<string, unknown>) {
    super(coded.message);
    this.coded = coded;
    this.facts = facts;
  }
}

/** What may leave the process of whatever a method threw; what is unexpected goes to the log. */
const failureFrom = (ctx: RpcContext, error: unknown): Failure => {
  if (error instanceof FailedWith) return failureOf(error.coded, error.facts);
  const coded = toCoded(
    error instanceof Error ? error : new Error('a method threw no error', { cause: error }),
  );
  if (coded.code === errors.internal().code) ctx.onError(error);
  return failureOf(coded);
};

const run = async (
  ctx: RpcContext,
  { connection, member }: Pick<Arrived<Called>, 'connection' | 'member'>,
  request: Pick<OpenRequest, 'event'> & { afterReply(run: () => void): void },
): Promise<unknown> => {
  const { identity } = connection;
  const method = methods.get(member.method);
  if (!method) throw errors.methodNotFound();
  const obstacle = obstacleFor(method.who, identity);
  if (obstacle) throw new FailedWith(obstacle.error, obstacle.facts);
  const isNotification = member.kind === 'notification';
  const call = { connection, isNotification, signal: connection.signal, ...request };
  const release = ctx.limits.exchanges.acquire(`rpc ${identity.userId}`);
  try {
    return await method.run(ctx, call, member.params);
  } finally {
    release();
  }
};

/** Counts a member; throws `tooManyRequests` with the time until the next may come. */
const count = (ctx: RpcContext, { identity: { principal } }: Connection): void => {
  const seconds = ctx.limits.bearer.use(principal);
  if (seconds !== null) throw new FailedWith(errors.tooManyRequests(), { retryAfterMs: seconds * 1_000 });
};

const runNotification = async (ctx: RpcContext, arrived: Arrived<Called>): Promise<void> => {
  const { connection, settle } = arrived;
  try {
    count(ctx, connection);
    await run(ctx, arrived, { event: () => {}, afterReply: () => {} });
  } catch (error) {
    failureFrom(ctx, error);
  }
  settle(null);
};

const runRequest = async (
  ctx: RpcContext,
  arrived: Arrived<Extract<Incoming, { kind: 'call' }>>,
): Promise<void> => {
  const { connection, member, settle } = arrived;
  const { requests } = connection;
  const { id, dialect } = member;
  const isFull = requests.isFull();
  const request = requests.open({ id, dialect, settle });
  const afterwards: (() => void)[] = [];
  try {
    count(ctx, connection);
    if (isFull) throw errors.tooManyRequests();
    const { event } = request;
    request.result(await run(ctx, arrived, { event, afterReply: (after) => void afterwards.push(after) }));
  } catch (error) {
    request.error(failureFrom(ctx, error));
  }
  for (const after of afterwards) after();
};

/** Handles one member of a frame; `settle` gets its last frame. */
export const dispatch = async (ctx: RpcContext, arrived: Arrived<Incoming>): Promise<void> => {
  const { connection, member, settle } = arrived;
  switch (member.kind) {
    case 'ignored':
      return settle(null);
    case 'notification':
      return runNotification(ctx, { connection, member, settle });
    case 'bad': {
      // The id of a request in flight keeps its one answer.
      const id = member.id !== null && connection.requests.has(member.id) ? null : member.id;
      return settle(errorFrame(member.dialect, id, member.failure));
    }
    case 'call': {
      const { id, dialect } = member;
      if (!connection.requests.has(id)) return runRequest(ctx, { connection, member, settle });
      const inFlight = errors.badRequest({ message: 'A request with this id is in flight' });
      return settle(errorFrame(dialect, null, failureOf(inFlight, { about: 'frame', id })));
    }
    default:
      return member satisfies never;
  }
};
