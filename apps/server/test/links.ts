import { get } from 'node:http';
import { daemonEvent, type DaemonEvent } from '@drawbridge/contracts/daemon-event';
import { daemonMounts, daemonPaths } from '@drawbridge/contracts/daemon-paths';
import { socketAnswer, socketEvent, socketPath } from '@drawbridge/contracts/link/socket';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { send } from './server.ts';

export const linkKinds = ['stream', 'socket'] as const;
export type LinkKind = (typeof linkKinds)[number];

/** What a daemon has of its link, whichever it is. */
export interface TestLink {
  /** The next event; waits for it. */
  next(): Promise<DaemonEvent>;
  /** Posts as that link does; gives status and body of the answer. */
  post(path: string, body: object): Promise<[status: number, body: unknown]>;
  /** Reads nothing from now on, and `resume` everything. */
  pause(): void;
  resume(): void;
  ended: Promise<void>;
}

type Headers = Record<string, string>;

const createEvents = () => {
  const events: DaemonEvent[] = [];
  const waiting: ((event: DaemonEvent) => void)[] = [];
  return {
    push: (json: unknown) => {
      const event = daemonEvent.parse(json);
      // The first says that the link is attached; later ones come when they like.
      if (event.type === 'probe' && event.payload.id > 1) return;
      const hand = waiting.shift();
      if (hand) hand(event);
      else events.push(event);
    },
    next: (): Promise<DaemonEvent> => {
      const event = events.shift();
      return event ? Promise.resolve(event) : new Promise((hand) => waiting.push(hand));
    },
  };
};

const openStream = (base: string, headers: Headers): Promise<TestLink> =>
  new Promise((resolve, reject) => {
    const request = get(base + daemonPaths.events, { headers, agent: false }, (incoming) => {
      const { push, next } = createEvents();
      let unread = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        const parts = (unread + chunk).split('\n\n');
        unread = parts.pop() ?? '';
        for (const part of parts) {
          const data = /^data: (.+)$/m.exec(part)?.[1];
          if (data !== undefined) push(JSON.parse(data));
        }
      });
      resolve({
        next,
        post: async (path, body) => {
          const { status, json } = await send(base + path, { method: 'POST', headers, body });
          return [status, json];
        },
        pause: () => incoming.pause(),
        resume: () => incoming.resume(),
        ended: new Promise((done) => incoming.once('close', done).once('error', () => done())),
      });
    });
    request.on('error', reject);
    onTestFinished(() => void request.destroy());
  });

const openSocket = (base: string, headers: Headers): Promise<TestLink> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(base.replace('http', 'ws') + socketPath, { headers });
    onTestFinished(() => socket.terminate());
    const { push, next } = createEvents();
    const answers = new Map<number, (answer: [number, unknown]) => void>();
    let lastId = 0;
    const read = (entry: unknown) => {
      const answer = socketAnswer.safeParse(entry).data;
      if (answer) answers.get(answer.id)?.([answer.status, answer.body]);
      else push(socketEvent.parse(entry).event);
    };
    socket.on('message', (data) => {
      const entries: unknown[] = JSON.parse(String(data));
      entries.forEach(read);
    });
    const ended = new Promise<void>((done) => socket.once('close', () => done()));
    socket.on('error', reject);
    socket.once('open', () =>
      resolve({
        next,
        post: (path, body) =>
          new Promise((answered) => {
            const id = (lastId += 1);
            answers.set(id, answered);
            socket.send(JSON.stringify([{ id, path, body }]));
          }),
        pause: () => socket.pause(),
        resume: () => socket.resume(),
        ended,
      }),
    );
  });

/** A link to the bare mount, as a daemon opens it. */
export const openLink = (url: string, { kind, headers }: { kind: LinkKind; headers: Headers }) => {
  const open = { stream: openStream, socket: openSocket }[kind];
  return open(url + daemonMounts.bare, headers);
};
