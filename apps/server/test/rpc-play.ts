import { laneModes, type LaneMode } from '@drawbridge/contracts/agent/lanes';
import { expect } from 'vitest';
import { createRandom } from '../../../e2e/harness/random.ts';
import { withAgent } from './agent.ts';
import { createHeldModel } from './lane-world.ts';
import { newToken, openPerson, openRpc, type Rpc, type RpcFrame } from './rpc.ts';

/** One message that a client sent on one socket. */
export interface PlayedSend {
  id: string;
  rpc: Rpc;
  client: Client;
  sessionId: string;
  message: string;
  mode: { queueMode?: LaneMode };
  /** All with its id, in their order. */
  frames: RpcFrame[];
  /** The socket was dropped before the answer. */
  isLost: boolean;
}

type Message = Pick<PlayedSend, 'client' | 'sessionId' | 'message' | 'mode'>;

/** A client that always has a socket. Names of sessions are those of its principal. */
interface Client {
  principal: 'person' | 'token';
  rpc: Rpc;
  sessions: readonly string[];
  open(): Promise<Rpc>;
}

/** A session of one principal. */
export interface PlayedSession {
  principal: Client['principal'];
  sessionId: string;
  /** What a reader got that was there from the first message on. */
  followed: RpcFrame[];
  /** The texts of its messages, as stored. */
  said: string[];
}

export interface Played {
  sends: PlayedSend[];
  sessions: PlayedSession[];
  /** What the server logged as an error. */
  problems: string[];
}

/** More than these open on one socket are cancelled: a hundred may be. */
const mostOpen = 50;
const verbs = ['say', 'say', 'say', 'hold', 'use', 'use', 'fail', 'ask'] as const;
/** Half of the messages go by the policy of their session. */
const modes = laneModes.flatMap((queueMode): PlayedSend['mode'][] => [{ queueMode }, {}]);

export const isLast = (frame: RpcFrame): boolean => 'result' in frame || 'error' in frame;

/** A server, and three clients: two of the person, one with a token. */
const createStage = async () => {
  const { script, release, releaseAll } = createHeldModel();
  const world = await withAgent(script, { TOKEN_PER_MINUTE: '100000', LOG_LEVEL: 'error' });
  const { server, cookie } = world;
  const { token } = await newToken(server, cookie);
  const arrived = new Map<unknown, RpcFrame[]>();
  const framesOf = (id: unknown): RpcFrame[] => {
    const known = arrived.get(id) ?? [];
    arrived.set(id, known);
    return known;
  };
  const openAs = (principal: Client['principal']) =>
    principal === 'person' ? openPerson(server, cookie) : openRpc(server, token);
  const clientOf = async (principal: Client['principal'], sessions: string[]): Promise<Client> => {
    const open = async () => {
      const rpc = await openAs(principal);
      rpc.socket.on('message', (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as RpcFrame;
        framesOf(frame.id).push(frame);
      });
      return rpc;
    };
    return { principal, rpc: await open(), sessions, open };
  };
  const clients = [
    await clientOf('person', ['ws:one', 'cli:two']),
    await clientOf('person', ['ws:one', 'cli:two']),
    await clientOf('token', ['ws:one']),
  ];
  const readers = clients.slice(1).flatMap(({ principal, sessions }) =>
    sessions.map(async (sessionId) => {
      const rpc = await openAs(principal);
      await rpc.call('agent.send', { sessionId, message: '/queue set debounce=10' });
      expect(await rpc.call('sessions.subscribe', { sessionId, afterSeq: 0 })).toHaveProperty('result');
      return { principal, sessionId, rpc };
    }),
  );
  return { ...world, release, releaseAll, clients, framesOf, readers: await Promise.all(readers) };
};

type Stage = Awaited<ReturnType<typeof createStage>>;

const createPlayer = (stage: Stage, seed: number) => {
  const random = createRandom(seed);
  const sends: PlayedSend[] = [];
  const held: string[] = [];
  const openOf = (rpc: Rpc) =>
    sends.filter((one) => one.rpc === rpc && !one.isLost && !one.frames.some(isLast));

  const send = ({ client, sessionId, message, mode }: Message) => {
    const { rpc } = client;
    const id = `${message} #${sends.length}`;
    const frames = stage.framesOf(id);
    const idempotencyKey = message.replace(' ', '-');
    const params = { sessionId, message, idempotencyKey, ...mode };
    rpc.send({ id, method: 'agent.send', params });
    sends.push({ id, rpc, client, sessionId, message, mode, frames, isLost: false });
  };

  const cancel = async ({ rpc }: Client, sessionId: string) => {
    const requestId = openOf(rpc).at(random.whole(0, 5))?.id;
    const params = random.pick([{ sessionId }, {}, { requestId }]);
    if (random.chance(0.3)) await rpc.call('agent.send', { sessionId, message: '/stop' });
    else await rpc.call('agent.cancel', params);
  };

  const drop = async (client: Client) => {
    for (const one of openOf(client.rpc)) one.isLost = true;
    client.rpc.socket.terminate();
    client.rpc = await client.open();
  };

  const changeMode = ({ rpc }: Client, sessionId: string) => {
    const mode = random.pick(laneModes);
    const overflow = random.pick(['drop_new', 'drop_old']);
    const values = `mode=${mode} cap=${random.whole(0, 12)} overflow=${overflow} debounce=${random.whole(0, 20)}`;
    return rpc.call('agent.send', { sessionId, message: `/queue set ${values}` });
  };

  const step = async () => {
    const client = random.pick(stage.clients);
    const sessionId = random.pick(client.sessions);
    const number = random.whole(1, 100);
    if (openOf(client.rpc).length >= mostOpen) await client.rpc.call('agent.cancel', { sessionId });
    else if (number <= 66) {
      const name = `m${sends.length}`;
      const verb = random.pick(verbs);
      if (verb === 'hold') held.push(name);
      send({ client, sessionId, message: `${verb} ${name}`, mode: random.pick(modes) });
    } else if (number <= 76) held.splice(0).forEach(stage.release);
    else if (number <= 86) await cancel(client, sessionId);
    else if (number <= 92) await changeMode(client, sessionId);
    else if (number <= 96) await drop(client);
    else await client.rpc.call('system.info');
  };

  return { step, sends, openOf, send };
};

/** Answers every question until all requests have ended, also those whose socket was dropped. */
const finish = async ({ agent, userId, releaseAll, clients }: Stage, player: Player) => {
  releaseAll();
  const lost = player.sends.filter(({ isLost }) => isLost);
  const answerAll = async () => {
    const { threads } = await agent.threads.list(userId, { limit: 10 });
    for (const { id } of threads) {
      const { view } = await agent.threads.snapshot(userId, id, { limit: 5 });
      const open = Object.values(view.asks).map(({ requestId }) => requestId);
      const answer = { kind: 'questions' as const, answers: [] };
      for (const requestId of open) await agent.confirm(userId, requestId, answer).catch(() => {});
    }
    return clients.reduce((sum, { rpc }) => sum + player.openOf(rpc).length, 0);
  };
  do {
    lost.splice(0, mostOpen).forEach(player.send);
    await expect.poll(answerAll, { timeout: 60_000 }).toBe(0);
  } while (lost.length > 0);
};

type Player = ReturnType<typeof createPlayer>;

const readSession = async ({ rpc, ...named }: Stage['readers'][number]): Promise<PlayedSession> => {
  const { result } = await rpc.call('sessions.get', { sessionId: named.sessionId, limit: 500 });
  const { history } = result as { history: { role: string; content: string }[] };
  const said = history.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  return { ...named, followed: rpc.frames.filter(({ event }) => event !== undefined), said };
};

/** Random messages, cancellations, dropped sockets and changes of the mode, until all is over. */
export const playAtRandom = async (seed: number, steps: number): Promise<Played> => {
  const stage = await createStage();
  const player = createPlayer(stage, seed);
  for (let at = 0; at < steps; at += 1) await player.step();
  await finish(stage, player);
  const sessions = await Promise.all(stage.readers.map(readSession));
  // What came behind the last frames has come before this answer.
  for (const { rpc } of stage.clients) await rpc.call('system.info');
  return { sends: player.sends, sessions, problems: stage.server.log };
};
