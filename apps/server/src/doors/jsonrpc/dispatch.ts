import { errors } from '../../errors.ts';
import type { RpcId } from '../../rpc/index.ts';
import { toCoded } from '../../http/index.ts';
import { closeCodes, type Connection } from './socket/connection.ts';
import type { RpcContext } from './context.ts';
import { FailedWith } from './failed-with.ts';
import { obstacleFor } from './identity.ts';
import type { RpcCall } from './method.ts';
import { methods } from './methods.ts';
import { failureOf, type Failure } from './protocol/error.ts';
import type { Incoming } from './protocol/frame.ts';
import { errorFrame, eventFrame, type RpcEvent } from './protocol/reply.ts';

/** Takes the last frame of a member; null for one that gets none. */
export type Settle = (frame: object | null) => void;

type Called = Extract<Incoming, { kind: 'call' | 'notification' }>;

/** A member that was read, with the connection that it came from. */
interface Arrived<Member> {
  connection: Connection;
  member: Member;
  settle: Settle;
}

/** What may leave the process of whatever a method threw; what is unexpected goes to the log. */
export const failureFrom = (ctx: Pick<RpcContext, 'onError'>, error: unknown): Failure => {
  if (error instanceof FailedWith) return error.failure;
  const coded = toCoded(
    error instanceof Error ? error : new Error('a method threw no error', { cause: error }),
  );
  if (coded.code === errors.internal().code) ctx.onError(error);
  return failureOf(coded);
};

const run = async (
  ctx: RpcContext,
  { connection, member }: Pick<Arrived<Called>, 'connection' | 'member'>,
  request: Pick<RpcCall, 'id' | 'event' | 'stream' | 'afterReply'>,
): Promise<unknown> => {
  const { identity } = connection;
  const method = methods.get(member.method);
  if (!method) throw errors.methodNotFound();
  if (ctx.isDraining() && !always.has(method.name)) throw errors.shuttingDown();
  const obstacle = obstacleFor(method.who, identity);
  if (obstacle) throw new FailedWith(failureOf(obstacle.error, obstacle.facts));
  const isNotification = member.kind === 'notification';
  const call = { connection, isNotification, signal: connection.signal, ...request };
  const release = ctx.limits.exchanges.acquire(`rpc ${identity.userId}`);
  try {
    return await method.run(ctx, call, member.params);
  } finally {
    release();
  }
};

/** Methods that are answered while the server ends. */
const always: ReadonlySet<string> = new Set(['system.disconnect', 'system.info']);

/** Counts a member; throws `tooManyRequests` with the time until the next may come. */
const count = (ctx: RpcContext, { id, identity, close }: Connection): void => {
  const seconds = ctx.limits.bearer.use(identity.principal);
  if (seconds === null) return;
  if (ctx.refusals.use(id) !== null) close(closeCodes.policy);
  throw new FailedWith(failureOf(errors.tooManyRequests(), { retryAfterMs: seconds * 1_000 }));
};

const runNotification = async (ctx: RpcContext, arrived: Arrived<Called>): Promise<void> => {
  const { connection, settle } = arrived;
  try {
    count(ctx, connection);
    const nothing = () => {};
    await run(ctx, arrived, { id: undefined, event: nothing, stream: nothing, afterReply: nothing });
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
    const afterReply = (after: () => void) => void afterwards.push(after);
    const stream = (later: RpcEvent) => connection.send(eventFrame(dialect, id, later));
    request.result(await run(ctx, arrived, { id, event, stream, afterReply }));
  } catch (error) {
    request.error(failureFrom(ctx, error));
  }
  for (const after of afterwards) after();
};

/** Counts a member that does not run; the error where there were too many. */
const refusalOf = (ctx: RpcContext, connection: Connection): Failure | null => {
  try {
    count(ctx, connection);
    return null;
  } catch (error) {
    return failureFrom(ctx, error);
  }
};

const inFlight = (id: RpcId): Failure =>
  failureOf(errors.badRequest({ message: 'A request with this id is in flight' }), { about: 'frame', id });

/** Handles one member of a frame; `settle` gets its last frame. */
export const dispatch = async (ctx: RpcContext, arrived: Arrived<Incoming>): Promise<void> => {
  const { connection, member, settle } = arrived;
  switch (member.kind) {
    case 'ignored':
      refusalOf(ctx, connection);
      return settle(null);
    case 'notification':
      return runNotification(ctx, { connection, member, settle });
    case 'bad': {
      // The id of a request in flight keeps its one answer.
      const id = member.id !== null && connection.requests.has(member.id) ? null : member.id;
      return settle(errorFrame(member.dialect, id, refusalOf(ctx, connection) ?? member.failure));
    }
    case 'call': {
      const { id, dialect } = member;
      if (!connection.requests.has(id)) return runRequest(ctx, { connection, member, settle });
      return settle(errorFrame(dialect, null, refusalOf(ctx, connection) ?? inFlight(id)));
    }
    default:
      return member satisfies never;
  }
};
