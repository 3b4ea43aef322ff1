import { nextMacrotask, type Clock } from '@drawbridge/kit';
import type { RawData, WebSocket } from 'ws';
import { errors } from '../../../errors.ts';
import type { RpcContext } from '../context.ts';
import { dispatch, failureFrom, type Settle } from '../dispatch.ts';
import type { Identity } from '../identity.ts';
import { failureOf, type Failure } from '../protocol/error.ts';
import { type Incoming, readFrame } from '../protocol/frame.ts';
import { closeCodes, type Connection } from './connection.ts';

/** Open requests of a connection from which on one more is begun for each turn of the event loop. */
const fewOpen = 4;
/** Frames that wait for their turn; beyond it the socket is not read. */
const maxWaiting = 64;
const pingEveryMs = 15_000;
const mostMissedPings = 2;
/** How long the end of an identity of the tailnet may go unnoticed. */
const checkEveryMs = 1_000;

const bytesOf = (data: RawData): Buffer =>
  Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data);

/** Sends the last frames of a batch as one array, once all members have one. */
const gather = (connection: Connection, size: number): Settle => {
  const frames: object[] = [];
  let left = size;
  return (frame) => {
    if (frame) frames.push(frame);
    left -= 1;
    if (left === 0 && frames.length > 0) connection.send(frames);
  };
};

/** Cuts a socket whose client does not answer pings. */
const keepAlive = (socket: WebSocket, clock: Clock): void => {
  let missed = 0;
  socket.on('pong', () => {
    missed = 0;
  });
  const stop = clock.every(pingEveryMs, () => {
    if (missed >= mostMissedPings) return socket.terminate();
    missed += 1;
    socket.ping();
  });
  socket.once('close', stop);
};

/** Whether what opened a connection holds, as stored now. */
const holds = async ({ access, accounts }: RpcContext, identity: Identity): Promise<boolean> => {
  switch (identity.kind) {
    case 'token':
      return (await access.verify(identity.bearer)) !== null;
    case 'person':
      return (await accounts.sessionByKey(identity.session.key)) !== null;
    case 'tailnet':
      return identity.access.holds();
    default:
      return identity satisfies never;
  }
};

/** Nothing of it runs; who waits for an answer gets the failure. */
const refused = (member: Incoming, failure: Failure): Incoming => {
  if (member.kind === 'call') return { kind: 'bad', id: member.id, dialect: member.dialect, failure };
  return member.kind === 'notification' ? { kind: 'ignored' } : member;
};

/** Calls `ended` when what opened a connection holds no longer; returns the function that stops it. */
const watchAccess = (ctx: RpcContext, identity: Identity, ended: () => void): (() => void) => {
  switch (identity.kind) {
    case 'token':
      return ctx.access.onRevoked(identity.access, ended);
    case 'person':
      return ctx.accounts.watch(identity.session, ended);
    case 'tailnet':
      return ctx.clock.every(
        checkEveryMs,
        () => void identity.access.holds().then((isHeld) => isHeld || ended(), ctx.onError),
      );
    default:
      return identity satisfies never;
  }
};

/** Reads the frames of a connection in order. Call it before anything is awaited. */
export const serveSocket = (ctx: RpcContext, socket: WebSocket, connection: Connection): void => {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const handle = async (bytes: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    const access = await holds(ctx, connection.identity).catch((error: unknown) => failureFrom(ctx, error));
    if (access === false) return connection.refuse(failureOf(errors.unauthorized()));
    const { members, isBatch } = readFrame(bytes, connection.dialect);
    const settle = isBatch
      ? gather(connection, members.length)
      : (frame: object | null) => frame && connection.send(frame);
    for (const read of members) {
      const member = access === true ? read : refused(read, access);
      // What the requests before have to say counts before this one is begun.
      if (connection.requests.size() >= fewOpen) await nextMacrotask();
      await connection.whenServed();
      if (socket.readyState !== socket.OPEN) return;
      if (member.kind === 'call') connection.dialect = member.dialect;
      dispatch(ctx, { connection, member, settle }).catch(ctx.onError);
    }
  };

  const done = () => {
    waiting -= 1;
    if (waiting < maxWaiting) connection.setReading('frames', true);
  };

  socket.on('message', (data, isBinary) => {
    if (isBinary) return connection.close(closeCodes.unsupported);
    waiting += 1;
    if (waiting >= maxWaiting) connection.setReading('frames', false);
    last = last
      .then(() => handle(bytesOf(data)))
      .catch(ctx.onError)
      .then(done);
  });
  keepAlive(socket, ctx.clock);
  const ended = () => connection.refuse(failureOf(errors.unauthorized()));
  connection.onClosed(watchAccess(ctx, connection.identity, ended));
  ctx.connections.add(connection);
};
