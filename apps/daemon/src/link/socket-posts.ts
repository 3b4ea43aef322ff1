import { readSocketPath, socketLimits, type SocketAnswer } from '@drawbridge/contracts/link/socket';
import { createTimer, createTransientMap, type Clock } from '@drawbridge/kit';
import type { Answer } from './http.ts';

/** As long as a post by HTTP waits. */
const answerMs = 60_000;

/** The writing end of an open socket. */
export interface OpenSocket {
  send(text: string): void;
  unsentBytes(): number;
}

interface Waiting {
  until: number;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

const toAnswer = ({ status, body }: SocketAnswer): Answer => ({
  status,
  header: (name) => (name === 'content-type' ? 'application/json' : ''),
  text: async () => JSON.stringify(body),
});

/** Posts on the socket of the link while there is one: those of one turn in one message. */
export const createSocketPosts = (clock: Clock) => {
  let open: OpenSocket | null = null;
  let lastId = 0;
  const waiting = createTransientMap<number, Waiting>();
  let unsent: string[] = [];
  let unsentBytes = 0;
  const timer = createTimer(clock);

  /** One timer for all: answers come too fast for one each. */
  const watch = () => {
    const [oldest] = waiting.values();
    if (oldest !== undefined) timer.start(oldest.until - clock.now(), giveUp);
  };
  const giveUp = () => {
    for (const [id, { until, reject }] of waiting) {
      if (until > clock.now()) break;
      waiting.delete(id);
      reject(new Error('no answer in time'));
    }
    watch();
  };

  const flush = () => {
    const entries = unsent;
    unsent = [];
    unsentBytes = 0;
    if (entries.length > 0) open?.send(`[${entries.join(',')}]`);
  };

  const add = (entry: string, bytes: number) => {
    if (unsentBytes + bytes > socketLimits.maxMessageBytes) flush();
    if (unsent.length === 0) queueMicrotask(flush);
    unsent.push(entry);
    unsentBytes += bytes;
  };

  return {
    /** Null where this post has to go by HTTP. Rejects when the socket closes before the answer. */
    post: (path: string, body: string): Promise<Answer> | null => {
      if (open === null || waiting.size >= socketLimits.maxOpenPosts) return null;
      const bytes = Buffer.byteLength(body);
      if (bytes > socketLimits.maxPostBytes || readSocketPath(path) === undefined) return null;
      if (open.unsentBytes() > socketLimits.maxMessageBytes) return null;
      const id = (lastId += 1);
      return new Promise<Answer>((resolve, reject) => {
        waiting.set(id, { until: clock.now() + answerMs, resolve, reject });
        if (!timer.isWaiting()) watch();
        add(`{"id":${id},"path":${JSON.stringify(path)},"body":${body}}`, bytes + path.length + 64);
      });
    },
    answered: (answer: SocketAnswer) => {
      waiting.get(answer.id)?.resolve(toAnswer(answer));
      waiting.delete(answer.id);
    },
    opened: (socket: OpenSocket) => {
      open = socket;
    },
    closed: () => {
      open = null;
      unsent = [];
      timer.cancel();
      const cut = [...waiting.values()];
      waiting.clear();
      for (const { reject } of cut) reject(new Error('the connection was cut'));
    },
  };
};

export type SocketPosts = ReturnType<typeof createSocketPosts>;
