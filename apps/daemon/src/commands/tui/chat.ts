import { exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { createSessionEvents, shownByOwn, type Happening } from './session-events.ts';
import { Dropped, openSocket, Refused, type Credential, type Frame, type Socket } from './socket.ts';

interface ChatNeeds {
  server: URL;
  clock: Clock;
  credential(): Promise<Credential>;
  sessionId: string;
  signal: AbortSignal;
  listen(happening: Happening): void;
}

const retryRange = { baseMs: 250, capMs: 10_000 };
const leastRetryMs = 50;
const askAgainMs = 100;
/** Another attempt would be refused in the same way. */
const finalClose = 1008;
/** The number of a request that was cancelled. */
const cancelledCode = 4;

/** Sockets to the server, one after the other. */
const createSockets = (needs: ChatNeeds, attach: (socket: Socket) => Promise<void>) => {
  const { server, clock, credential, signal, listen } = needs;
  let socket: Socket | null = null;
  let isAgain = false;
  let waiting: (() => void)[] = [];

  /** Resolves when the socket has closed. */
  const useOne = async () => {
    const opened = await openSocket(server, await credential());
    signal.addEventListener('abort', opened.close, { once: true });
    try {
      await attach(opened);
      socket = opened;
      listen({ type: 'connected', isAgain });
      isAgain = true;
      for (const go of waiting.splice(0)) go();
      const code = await opened.closed;
      if (code === finalClose) throw new Refused({ code, message: 'The server has closed the connection' });
    } finally {
      socket = null;
      signal.removeEventListener('abort', opened.close);
    }
  };

  return {
    /** Opens sockets until the signal aborts. Rejects when the server refuses the credential. */
    run: async (): Promise<void> => {
      for (let attempt = 0; !signal.aborted; attempt += 1) {
        try {
          await useOne();
          attempt = 0;
        } catch (error) {
          if (!(error instanceof Dropped)) throw error;
        }
        if (signal.aborted) return;
        if (attempt === 0) listen({ type: 'away' });
        const ms = fullJitter(exponential(attempt, retryRange)) + leastRetryMs;
        await sleep(clock, ms, signal).catch(() => {});
      }
    },
    /** The open socket, or the next one. */
    next: (): Promise<Socket> =>
      socket
        ? Promise.resolve(socket)
        : new Promise((resolve) => waiting.push(() => socket && resolve(socket))),
  };
};

/** One session over sockets that are opened anew when they drop: each event is shown once. */
export const createChat = (needs: ChatNeeds) => {
  const { clock, signal, listen } = needs;
  let { sessionId } = needs;
  const events = createSessionEvents(listen);

  const attach = async (socket: Socket) => {
    await socket.request('sessions.create', { sessionId });
    const afterSeq = events.seq();
    events.follow();
    const params = { sessionId, ...(afterSeq !== null && { afterSeq }) };
    const { seq } = await socket.request('sessions.subscribe', params, events.take);
    if (typeof seq === 'number') events.followed(seq);
    listen({ type: 'session', sessionId });
  };
  const sockets = createSockets(needs, attach);

  /** Sends a request; after a drop again, as often as needed. */
  const ask = async (method: string, params: object, onEvent?: (frame: Frame) => void) => {
    for (;;) {
      try {
        return await (await sockets.next()).request(method, params, onEvent);
      } catch (error) {
        if (!(error instanceof Dropped) || signal.aborted) throw error;
        await sleep(clock, askAgainMs, signal);
      }
    }
  };

  return {
    run: sockets.run,
    ask,
    /** Resolves when the run of the message has ended, with the problem or null. It runs once. */
    send: async (message: string): Promise<string | null> => {
      const onEvent = (frame: Frame) => shownByOwn(frame).forEach((happening) => listen(happening));
      try {
        await ask('agent.send', { message, sessionId, idempotencyKey: nanoid() }, onEvent);
        listen({ type: 'ended', problem: null });
        return null;
      } catch (error) {
        const problem = error instanceof Error ? error.message : 'Something went wrong';
        // The end of the run has been shown.
        const isCancelled = error instanceof Refused && error.rpc === cancelledCode;
        listen({ type: 'ended', problem: isCancelled ? null : problem });
        return problem;
      }
    },
    cancel: () => ask('agent.cancel', { sessionId }),
    /** Goes on in another session. */
    switchTo: async (next: string): Promise<void> => {
      await ask('sessions.unsubscribe', { sessionId });
      sessionId = next;
      events.reset();
      await attach(await sockets.next());
    },
  };
};

export type Chat = ReturnType<typeof createChat>;
