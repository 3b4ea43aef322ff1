import { sleep, systemClock } from '@drawbridge/kit';
import { openPersonRpc, openRpc, type Person, type RpcClient, type RpcFrame } from '../../harness/index.ts';
import { wordOf } from '../../rpc-order.ts';
import { messageText } from '../agent/script.ts';
import type { History } from '../history.ts';
import { toolCallOf } from '../marks.ts';
import type { CallerKind, PlannedExecute, PlannedSend } from './plan.ts';

/** A client of the JSON-RPC door that comes back when its socket is gone, and asks again for what has no answer. */
export interface Caller {
  send(planned: PlannedSend): void;
  execute(planned: PlannedExecute): void;
  cancel(session: string): void;
  /** Cuts the socket, or stops reading it for so long. */
  drop(pauseMs: number | null): void;
  /** Names of what was asked for and has no answer yet. */
  unanswered(): string[];
  stop(): void;
}

export interface CallerNeeds {
  index: number;
  kind: CallerKind;
  person: Person;
  /** Of the server; the clients go to it without a proxy. */
  url: string;
  history: History;
}

interface Wanted {
  name: string;
  method: 'agent.send' | 'tools.execute';
  params: object;
  /** It is asked for again, and means the same request. */
  isKeyed: boolean;
}

const againMs = 300;

const outcomeOf = ({ result, error }: RpcFrame): string =>
  error ? `error ${error.code}` : `${String(result?.['callId'] ?? '')} ${String(result?.['content'] ?? '')}`;

const textOf = (output: unknown): string | null => (typeof output === 'string' ? output : null);

/** Keeps a socket open until it is stopped; `opened` runs for each new one. */
const keepOpen = (open: () => Promise<RpcClient>, opened: (client: RpcClient, socket: number) => void) => {
  const stopping = Promise.withResolvers<void>();
  let client: RpcClient | null = null;
  let isStopped = false;
  const run = async () => {
    for (let socket = 1; !isStopped; socket += 1) {
      const next = await open().catch(() => null);
      if (next && !isStopped) {
        client = next;
        opened(next, socket);
        await Promise.race([next.closed, stopping.promise]);
        client = null;
      }
      if (isStopped) next?.drop();
      await sleep(systemClock, againMs);
    }
  };
  void run();
  return {
    client: () => client,
    stop: () => {
      isStopped = true;
      client?.drop();
      stopping.resolve();
    },
  };
};

/** Asks for what has no answer yet, on each new socket again. */
const createAsking = ({ index, kind, history }: CallerNeeds) => {
  const wanted = new Map<string, Wanted>();
  let current: { client: RpcClient; socket: number } | null = null;

  const answered = ({ name, method }: Wanted, { result }: RpcFrame) => {
    if (method !== 'tools.execute' || result === undefined) return;
    const { callId, state, output } = result;
    const call = { requestId: String(callId), state: String(state), result: textOf(output) };
    history.note({ type: 'answered', op: name, ...call });
  };
  const ask = async (one: Wanted) => {
    if (!current) return;
    const { client, socket } = current;
    const { name, method, params } = one;
    const id = `${name} on ${socket}`;
    const words: string[] = [];
    const listen = (frame: RpcFrame) => words.push(wordOf(frame));
    const answer = await client.call(method, params, { id, listen }).catch(() => null);
    if (answer) answered(one, answer);
    if (answer || !one.isKeyed) wanted.delete(name);
    // All that comes on this socket belongs to it, also behind the answer.
    await client.closed;
    const outcome = answer && outcomeOf(answer);
    history.note({ type: 'rpc-request', user: index, by: kind, id, key: name, method, words, outcome });
  };
  return {
    unanswered: () => [...wanted.keys()],
    opened: (client: RpcClient, socket: number) => {
      current = { client, socket };
      for (const one of wanted.values()) void ask(one);
    },
    request: (one: Wanted) => {
      if (!current && !one.isKeyed) return;
      wanted.set(one.name, one);
      void ask(one);
    },
  };
};

export const createCaller = async (needs: CallerNeeds): Promise<Caller> => {
  const { index, kind, person, url } = needs;
  const scopes = ['agent', 'shell', 'filesystemRead', 'filesystemWrite'] as const;
  const { token } = await person.api.tokens.create.mutate({ name: `caller ${index}`, scopes: [...scopes] });
  const { request, opened, unanswered } = createAsking(needs);
  const open = () => (kind === 'token' ? openRpc(url, token) : openPersonRpc(url, person));
  const line = keepOpen(open, opened);

  return {
    send: ({ session: sessionId, ops, mode: queueMode, ...task }) => {
      const name = ops[0] ?? '';
      const message = messageText({ ...task, ops, model: null });
      const params = { sessionId, message, queueMode, idempotencyKey: name };
      request({ name, method: 'agent.send', params, isKeyed: true });
    },
    execute: (planned) => {
      const { op } = planned;
      const { name: tool, arguments: args } = toolCallOf(planned);
      // A person's call has no key: it ends with the socket.
      const key = kind === 'token' && { idempotencyKey: op };
      request({
        name: op,
        method: 'tools.execute',
        params: { tool, args, ...key },
        isKeyed: kind === 'token',
      });
    },
    cancel: (sessionId) =>
      void line
        .client()
        ?.call('agent.cancel', { sessionId })
        .catch(() => {}),
    drop: (pauseMs) => {
      const now = line.client();
      if (pauseMs === null) return now?.drop();
      now?.pause();
      systemClock.after(pauseMs, () => now?.resume());
    },
    unanswered,
    stop: line.stop,
  };
};
