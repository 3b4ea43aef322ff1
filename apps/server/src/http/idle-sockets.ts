import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Watches the sockets of a server from its start; the returned function ends those that answer nothing just now. Node's own
 * `closeIdleConnections` leaves out those that have not sent a request yet, which browsers open in advance.
 */
export const watchIdleSockets = (server: Server): (() => void) => {
  const answering = new Map<Socket, number>();
  server.on('connection', (socket) => {
    answering.set(socket, 0);
    socket.once('close', () => answering.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    const add = (by: number) => {
      const count = answering.get(socket);
      if (count !== undefined) answering.set(socket, count + by);
    };
    add(1);
    response.once('close', () => add(-1));
  });
  return () => {
    for (const [socket, count] of answering) if (count === 0) socket.destroy();
  };
};
