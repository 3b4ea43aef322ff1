import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Passes connections on to a port of this machine; while it is held, nothing passes in either direction. */
export interface Relay {
  port: number;
  /** Holds add up: each has its own release. */
  hold(): void;
  /** After the last one, what was sent meanwhile arrives. */
  release(): void;
  close(): void;
}

export const startRelay = async (target: number): Promise<Relay> => {
  const pairs = new Set<{ near: Socket; far: Socket }>();
  let holds = 0;
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    const pair = { near, far };
    pairs.add(pair);
    const end = () => {
      pairs.delete(pair);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', () => {}).on('close', end);
    if (holds === 0) near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    // It listens on a port, so its address is an object.
    port: (server.address() as AddressInfo).port,
    hold: () => {
      holds += 1;
      if (holds > 1) return;
      for (const { near, far } of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    release: () => {
      holds -= 1;
      // Piped twice, each byte would arrive twice.
      if (holds > 0) return;
      for (const { near, far } of pairs) near.pipe(far).pipe(near);
    },
    close: () => {
      for (const { near } of pairs) near.destroy();
      server.close();
    },
  };
};
