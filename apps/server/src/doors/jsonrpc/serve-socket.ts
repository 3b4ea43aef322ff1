import type { RawData, WebSocket } from 'ws';
import { failureOf } from './protocol/error.ts';
import { readFrame } from './protocol/frame.ts';
import { errorFrame } from './protocol/reply.ts';
import { errors } from '../../errors.ts';
import type { Connection } from './connection.ts';
import type { RpcContext } from './context.ts';
import { dispatch, type Settle } from './dispatch.ts';

/** Close codes of RFC 6455. */
export const closeCodes = {
  normal: 1000,
  unsupported: 1003,
  policy: 1008,
  restart: 1012,
  tryLater: 1013,
} as const;

/** Frames that wait for their turn; beyond it the socket is not read. */
const maxWaiting = 64;

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

/** Whether the token or the session of the connection holds, as stored now. */
type Verify = () => Promise<boolean>;

/** Reads the frames of a connection in order. Attach it before anything is awaited. */
export const serveSocket = (
  ctx: RpcContext,
  { socket, connection, verify }: { socket: WebSocket; connection: Connection; verify: Verify },
): void => {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  const refuse = () => {
    connection.send(errorFrame(connection.dialect, null, failureOf(errors.unauthorized())));
    connection.close(closeCodes.policy);
  };

  const handle = async (bytes: Buffer) => {
    if (socket.readyState !== socket.OPEN) return;
    if (!(await verify())) return refuse();
    const { members, isBatch } = readFrame(bytes, connection.dialect);
    const settle = isBatch
      ? gather(connection, members.length)
      : (frame: object | null) => frame && connection.send(frame);
    for (const member of members) {
      if (member.kind === 'call') connection.dialect = member.dialect;
      dispatch(ctx, { connection, member, settle }).catch(ctx.onError);
    }
  };

  const done = () => {
    waiting -= 1;
    if (waiting < maxWaiting && socket.isPaused) socket.resume();
  };

  socket.on('message', (data, isBinary) => {
    if (isBinary) return connection.close(closeCodes.unsupported);
    waiting += 1;
    if (waiting >= maxWaiting) socket.pause();
    last = last
      .then(() => handle(bytesOf(data)))
      .catch(ctx.onError)
      .then(done);
  });
};
