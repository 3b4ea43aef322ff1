import { get } from 'node:http';
import { confirmationText } from '@drawbridge/contracts/confirmation-text';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { daemonSurface } from '@drawbridge/contracts/daemon-surface';
import { startServer, type Person } from '@drawbridge/e2e/harness';
import { createTRPCClient, httpSubscriptionLink } from '@trpc/client';
import { EventSource } from 'eventsource';
import type { Pool } from 'undici';
import { poolOf, startBarePanel } from '../bare.ts';
import type { Figure, Group, RowText, Stage } from '../group.ts';
import { nowMs } from '../load.ts';
import { middleOf } from '../spread.ts';
import type { BareRouter } from '../processes/bare-panel.ts';

const row = (what: string): RowText => ({
  measure: `${what} -> the panel's subscription, against a bare tRPC subscription event: p50`,
  kind: 'ratio',
  unit: 'ms',
  goal: { atMost: 1.5 },
});

/** Passes each published value to the waiting `next`. */
const createWaiter = <T>() => {
  let waiting: { is: (value: T) => boolean; done: (value: T) => void } | undefined;
  return {
    publish: (value: T) => {
      if (!waiting?.is(value)) return;
      const { done } = waiting;
      waiting = undefined;
      done(value);
    },
    next: (is: (value: T) => boolean): Promise<T> => new Promise((done) => (waiting = { is, done })),
  };
};

interface Stream {
  /** The id of the next call that comes. */
  nextCall(): Promise<string>;
  close(): void;
}

const openStream = (url: string, headers: Record<string, string>): Stream => {
  let waiting: (requestId: string) => void = () => {};
  const outgoing = get(url, { headers, agent: false }, (response) => {
    response.on('error', () => {});
    response.setEncoding('utf8').on('data', (text: string) => {
      const requestId = /"filesystem-request".*"requestId":"([^"]+)"/.exec(text)?.[1];
      if (requestId !== undefined) waiting(requestId);
    });
  });
  outgoing.on('error', () => {});
  return {
    nextCall: () => new Promise((resolve) => (waiting = resolve)),
    close: () => outgoing.destroy(),
  };
};

const question = JSON.stringify({
  result: {
    isError: true,
    content: [
      {
        type: 'text',
        text: confirmationText.encode({
          toolGroup: 'filesystemRead',
          resource: '/home/person/project/notes.txt',
          description: 'Read file notes.txt',
          options: ['allowOnce', 'denyOnce'],
        }),
      },
    ],
  },
});

interface Side {
  /** Opens a stream and gives the time until the panel has heard of it. */
  stateMs(): Promise<number>;
  /** Posts a question and gives the time until the panel has heard of it. */
  questionMs(): Promise<number>;
}

const post = async (pool: Pool, path: string, headers: Record<string, string>) => {
  const { statusCode, body } = await pool.request({
    path,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: question,
  });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}: ${text}`);
};

const bareSide = async ({ processes, whenOver }: Stage): Promise<Side> => {
  const { panelUrl } = await startBarePanel(processes);
  const client = createTRPCClient<BareRouter>({
    links: [httpSubscriptionLink({ url: `${panelUrl}/trpc`, EventSource })],
  });
  const waiter = createWaiter<string>();
  await new Promise<void>((resolve, reject) => {
    const { unsubscribe } = client.onChanged.subscribe(undefined, {
      onStarted: () => resolve(),
      onData: waiter.publish,
      onError: reject,
    });
    whenOver(unsubscribe);
  });
  const pool = poolOf(panelUrl);
  return {
    stateMs: async () => {
      const arrived = waiter.next((name) => name === 'opened');
      const startMs = nowMs();
      const stream = openStream(`${panelUrl}/events`, {});
      await arrived;
      const tookMs = nowMs() - startMs;
      stream.close();
      return tookMs;
    },
    questionMs: async () => {
      const arrived = waiter.next((name) => name === 'asked');
      const startMs = nowMs();
      const posted = post(pool, '/response/1', {});
      await arrived;
      const tookMs = nowMs() - startMs;
      await posted;
      return tookMs;
    },
  };
};

/** A machine that is only as much of a daemon as this needs. */
const pair = async (url: string, person: Person): Promise<Record<string, string>> => {
  const { token } = await person.api.gateway.createLink.mutate();
  const response = await fetch(url + daemonMounts.bare + daemonSurface.init.path, {
    method: 'POST',
    headers: { [gatewayKeyHeader]: token, 'content-type': 'application/json' },
    body: JSON.stringify({
      rootPath: '/home/person/project',
      tools: [{ name: 'read_file', inputSchema: { type: 'object' } }],
    }),
  });
  const key = /"sessionKey":"([^"]+)"/.exec(await response.text())?.[1] ?? '';
  return { [gatewayKeyHeader]: key };
};

const ourSide = async ({ processes, nodeFlags, whenOver }: Stage): Promise<Side> => {
  const server = await startServer(processes, { LOG_LEVEL: 'info' }, nodeFlags);
  const person = await server.createOwner();
  const { api } = person;
  const headers = await pair(server.url, person);
  const states = createWaiter<string>();
  const questions = createWaiter<string>();
  const ids = new Map<string, string>();
  await new Promise<void>((resolve, reject) => {
    const { unsubscribe } = api.live.onEvent.subscribe(undefined, {
      onStarted: () => resolve(),
      onData: ({ data: { topic, event } }) => {
        if (topic === 'machine') states.publish(event.payload.state);
        if (topic !== 'confirmations') return;
        ids.set(event.confirmation.requestId, event.confirmation.id);
        questions.publish(event.confirmation.state);
      },
      onError: reject,
    });
    whenOver(unsubscribe);
  });
  const pool = poolOf(server.url);
  const events = server.url + daemonMounts.bare + daemonSurface.events.path;
  let stays: Stream | undefined;

  const opened = async () => {
    const heard = states.next((state) => state === 'online');
    const startMs = nowMs();
    const stream = openStream(events, headers);
    await heard;
    return { stream, tookMs: nowMs() - startMs };
  };
  const closed = async (stream: Stream) => {
    const heard = states.next((state) => state !== 'online');
    stream.close();
    await heard;
  };

  return {
    stateMs: async () => {
      if (stays) await closed(stays);
      stays = undefined;
      const { stream, tookMs } = await opened();
      await closed(stream);
      return tookMs;
    },
    questionMs: async () => {
      stays ??= (await opened()).stream;
      const coming = stays.nextCall();
      const call = api.calls.run.mutate({ name: 'read_file', arguments: { filePath: 'notes.txt' } });
      const requestId = await coming;
      const heard = questions.next((state) => state === 'open');
      const startMs = nowMs();
      const path = daemonMounts.bare + daemonSurface.response.path.replace(':requestId', requestId);
      const posted = post(pool, path, headers);
      await heard;
      const tookMs = nowMs() - startMs;
      await Promise.all([posted, call]);
      await api.confirmations.decide.mutate({ confirmationId: ids.get(requestId) ?? '', approved: false });
      return tookMs;
    },
  };
};

/** The panel's events, from the request that causes them until they arrive. */
export const eventsGroup: Group<'state' | 'question'> = {
  name: 'events',
  rows: { state: row('a machine connects'), question: row('a question is asked') },
  open: async (stage) => {
    const sides = { bare: await bareSide(stage), ours: await ourSide(stage) };
    const compare = async (what: keyof Side): Promise<Figure> => {
      const times = { ours: new Array<number>(), bare: new Array<number>() };
      for (let n = 0; n < stage.scaled(60); n++) {
        for (const name of ['bare', 'ours'] as const) times[name].push(await sides[name][what]());
      }
      return { ours: middleOf(times.ours), bare: middleOf(times.bare) };
    };
    const round = async () => ({
      state: await stage.inRow('state', () => compare('stateMs')),
      question: await stage.inRow('question', () => compare('questionMs')),
    });
    await round();
    return round;
  },
};
