import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { nextMacrotask, systemClock } from '@drawbridge/kit';
import { onTestFinished, vi } from 'vitest';
import { createEgress, type EgressNeeds } from '../../src/tools/common/egress/egress.ts';
import { shared } from './clean-up.ts';
import { openInternet, publicAddress } from './internet-fixture.ts';

export const until = (assertion: () => void | Promise<void>) =>
  vi.waitFor(assertion, { timeout: 30_000, interval: 5 });

/** The hosts of one test file, and what opens an egress to them. */
export const sharedEgress = () => {
  const internet = shared(() =>
    openInternet({
      names: { 'good.test': [publicAddress], 'other.test': [publicAddress] },
      site: (request, answer) => {
        if (request.url?.startsWith('/hop')) {
          answer.setHeader('connection', 'x-named');
          answer.setHeader('x-named', 'hop');
          answer.setHeader('proxy-authenticate', 'Basic');
        }
        let body = '';
        request.on('data', (chunk) => (body += String(chunk)));
        request.on('end', () =>
          answer.end(JSON.stringify({ headers: request.headers, url: request.url, body })),
        );
      },
      ports: {
        22: (link) => void (link.write('SSH-2.0-server\r\n'), link.resume().on('end', () => link.end('bye'))),
        5432: (link) => void (link.write('ready '), link.pipe(link)),
      },
    }),
  );

  /** An egress that allows `good.test` only, with a listener in front of it. */
  return async (more: Partial<EgressNeeds> = {}) => {
    const { resolve, dial, dialled, resolved } = internet();
    dialled.length = 0;
    resolved.length = 0;
    const refused: string[] = [];
    const egress = createEgress({
      clock: systemClock,
      checksFirstBytes: true,
      mayConnect: async ({ hostname }) => (hostname === 'good.test' ? null : 'unasked'),
      refused: ({ host }, reason) => void refused.push(`${host} ${reason}`),
      resolve,
      dial,
      ...more,
    });
    const server = createServer({ allowHalfOpen: true }, egress.accept);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    onTestFinished(() => void (egress.close(), server.close()));
    // It listens on a TCP port.
    const { port } = server.address() as AddressInfo;
    const link = () => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      onTestFinished(() => void socket.destroy());
      return socket.on('error', () => undefined);
    };
    /** Sends bytes, and gives all that comes back until the other side ends. */
    const say = async (...parts: (string | Buffer)[]): Promise<string> => {
      const socket = link();
      let text = '';
      socket.on('data', (chunk) => (text += String(chunk)));
      for (const part of parts) socket.write(part);
      await ended(socket);
      return text;
    };
    return { egress, link, say, refused, dialled, resolved, dial };
  };
};

export type OpenEgress = Awaited<ReturnType<ReturnType<typeof sharedEgress>>>;

export const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

export const connectTo = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;
export const get = (target: string, ...headers: string[]) =>
  `GET ${target} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Resolves when the other side has ended the connection. */
export const ended = (socket: Socket): Promise<unknown> =>
  socket.readableEnded || socket.destroyed
    ? Promise.resolve()
    : new Promise<void>((resolve) => void socket.resume().on('end', resolve).on('close', resolve));

/** A tunnel that stands, in which these bytes were sent; `text` is what came back since. */
export const through = async (
  { link }: Pick<OpenEgress, 'link'>,
  target: string,
  bytes: readonly Buffer[],
) => {
  const socket = link();
  let all = '';
  socket.on('data', (chunk) => (all += String(chunk)));
  socket.write(connectTo(target));
  await once(socket, 'data');
  for (const chunk of bytes) {
    socket.write(chunk);
    await nextMacrotask();
  }
  return { socket, text: () => all.slice(all.indexOf('\r\n\r\n') + 4) };
};
