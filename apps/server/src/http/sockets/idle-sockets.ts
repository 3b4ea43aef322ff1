import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Tracks the sockets of servers. `closeIdle` closes those without a request in progress: Node's
 * `closeIdleConnections` omits sockets without a first request, which browsers open in advance.
 */
export const watchIdleSockets = (...servers: Server[]) => {
  const answering = new Map<Socket, number>();
  const watch = (server: Server) => {
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
  };
  for (const server of servers) watch(server);
  return {
    closeIdle: (): void => {
      for (const [socket, count] of answering) if (count === 0) socket.destroy();
    },
    /** Whether no request is in progress. */
    isIdle: (): boolean => [...answering.values()].every((count) => count === 0),
    /** The socket speaks another protocol from now on. */
    forget: (socket: Socket): void => void answering.delete(socket),
  };
};
