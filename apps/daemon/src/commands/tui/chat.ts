import { createTimer, exponential, fullJitter, sleep, type Clock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { Dropped, openSocket, Refused, type Credential, type Frame, type Socket } from './socket.ts';

/** `text`: part of the answer, as it grows. `notice`: beside the answer. */
export type Happening =
  | { type: 'connected'; sessionId: string; isAgain: boolean }
  | { type: 'away' }
  | { type: 'text'; text: string }
  | { type: 'notice'; word: string; text: string }
  | { type: 'running'; isRunning: boolean }
  | { type: 'question'; question: Record<string, unknown> }
  | { type: 'answered'; confirmId: string; state: string }
  | { type: 'ended'; problem: string | null }
  | { type: 'frame'; frame: Frame };

interface ChatNeeds {
  server: URL;
  clock: Clock;
  credential(): Promise<Credential>;
  sessionId: string;
  signal: AbortSignal;
  listen(happening: Happening): void;
}

const retryRange = { baseMs: 250, capMs: 10_000 };
/** Another attempt would be refused in the same way. */
const final = 1008;
/** The number of a request that was cancelled. */
const cancelledCode = 4;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** One session over sockets that are opened anew when they drop; nothing is shown twice and nothing is lost. */
export const createChat = ({ server, clock, credential, signal, listen, ...start }: ChatNeeds) => {
  let { sessionId } = start;
  let socket: Socket | null = null;
  /** The newest event of the session that was shown; null before the first one. */
  let seq: number | null = null;
  /** Text that was shown after it: it comes again with a new socket. */
  let unsure = '';
  let repeated = '';
  let wasConnected = false;
  const retry = createTimer(clock);
  let online: (() => void)[] = [];

  const showText = (text: string) => {
    const known =
      repeated.length > 0 && text.startsWith(repeated.slice(0, text.length))
        ? Math.min(repeated.length, text.length)
        : 0;
    repeated = known === 0 ? '' : repeated.slice(known);
    const fresh = text.slice(known);
    unsure += fresh;
    if (fresh !== '') listen({ type: 'text', text: fresh });
  };

  const onState = (state: string) => {
    if (state === 'start' || state === 'resumed') listen({ type: 'running', isRunning: true });
    if (state === 'suspended') listen({ type: 'notice', word: 'waits', text: 'for an answer' });
    if (['complete', 'cancelled', 'error'].includes(state)) {
      listen({ type: 'running', isRunning: false });
      if (state !== 'complete') listen({ type: 'notice', word: state, text: '' });
    }
  };

  /** An event of the session, whoever has sent the message. */
  const onSession = (frame: Frame) => {
    const { event, data } = frame;
    listen({ type: 'frame', frame });
    switch (event) {
      case 'content':
        showText(textOf(data.text));
        break;
      case 'tool_start':
        listen({
          type: 'notice',
          word: 'tool',
          text: `${textOf(data.tool)} ${JSON.stringify(data.args ?? {})}`,
        });
        break;
      case 'tool_end': {
        const { success } = (data.result ?? {}) as { success?: unknown };
        if (success !== true) listen({ type: 'notice', word: 'failed', text: textOf(data.tool) });
        break;
      }
      case 'run_state':
        onState(textOf(data.state));
        break;
      case 'confirm_request':
        listen({ type: 'question', question: data });
        break;
      case 'confirm_resolved':
        listen({ type: 'answered', confirmId: textOf(data.confirmId), state: textOf(data.state) });
        break;
      case 'reset':
        listen({ type: 'notice', word: 'gap', text: 'older events are gone; /sessions lists the chats' });
        break;
    }
    if (frame.seq === undefined) return;
    seq = frame.seq;
    unsure = '';
  };

  /** An event of our own message, as far as the session's events do not tell it. */
  const onOwn = ({ event, data, runId }: Frame) => {
    if (event === 'content' && runId === undefined)
      listen({ type: 'notice', word: data.transient === true ? 'note' : '', text: textOf(data.text) });
    if (event !== 'run_state') return;
    const state = textOf(data.state);
    if (state === 'queued')
      listen({ type: 'notice', word: 'queued', text: `place ${String(data.position)}` });
    if (state === 'merged' || state === 'steered')
      listen({ type: 'notice', word: state, text: 'into the run that is open' });
  };

  const attach = async (opened: Socket) => {
    await opened.request('sessions.create', { sessionId });
    const after = seq === null ? {} : { afterSeq: seq };
    repeated = unsure.trimStart();
    unsure = '';
    const got = await opened.request('sessions.subscribe', { sessionId, ...after }, onSession);
    if (seq === null && typeof got.seq === 'number') ({ seq } = got as { seq: number });
  };

  /** Opens sockets until the signal aborts. Rejects when the server refuses the credential. */
  const run = async (): Promise<void> => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const opened = await openSocket(server, await credential());
        signal.addEventListener('abort', opened.close, { once: true });
        await attach(opened);
        socket = opened;
        attempt = 0;
        listen({ type: 'connected', sessionId, isAgain: wasConnected });
        wasConnected = true;
        for (const go of online.splice(0)) go();
        const code = await opened.closed;
        socket = null;
        signal.removeEventListener('abort', opened.close);
        if (code === final) throw new Refused({ code, message: 'The server has closed the connection' });
      } catch (error) {
        if (!(error instanceof Dropped)) throw error;
      }
      if (signal.aborted) return;
      if (attempt === 0) listen({ type: 'away' });
      await sleep(clock, fullJitter(exponential(attempt, retryRange)) + 50, signal).catch(() => {});
    }
  };

  /** The open socket, or the next one. */
  const connected = (): Promise<Socket> =>
    socket ? Promise.resolve(socket) : new Promise((resolve) => online.push(() => socket && resolve(socket)));

  /** Sends a request once; after a drop again, as often as needed. */
  const ask = async (method: string, params: object, onEvent?: (frame: Frame) => void) => {
    for (;;) {
      try {
        return await (await connected()).request(method, params, onEvent);
      } catch (error) {
        if (!(error instanceof Dropped) || signal.aborted) throw error;
        await new Promise<void>((resolve) => retry.start(100, resolve));
      }
    }
  };

  return {
    run,
    ask,
    sessionId: () => sessionId,
    /** Sends a message; resolves when its run has ended, with the problem or null. The key makes it run once. */
    send: async (message: string): Promise<string | null> => {
      try {
        await ask('agent.send', { message, sessionId, idempotencyKey: nanoid() }, onOwn);
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
      await ask('sessions.unsubscribe', { sessionId }).catch(() => {});
      sessionId = next;
      seq = null;
      unsure = '';
      await attach(await connected());
    },
  };
};

export type Chat = ReturnType<typeof createChat>;
