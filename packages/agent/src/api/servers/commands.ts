import { hasCode, sleep } from '@drawbridge/kit';
import { type Held } from '../../engine/driving.ts';
import type { LaneRequest } from '../../engine/lanes/request.ts';
import type { Requests } from '../../engine/lanes/requests.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { AgentServers } from '../../ports/servers.ts';
import { ElsewhereError, errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import type { CommandRow } from '../../rows/rows.ts';
import type { Commands, Run } from '../lanes/at-driver.ts';
import { replayById } from '../lanes/keys.ts';
import { createAsked, gone } from './asked.ts';
import { readReply } from './reply.ts';
import { createServing, type Done } from './serve.ts';

interface Needs extends Pick<AgentNeeds, 'store' | 'clock' | 'newId' | 'onError'> {
  servers: AgentServers;
  requests(): Requests;
  notify(key: ThreadKey): Promise<void>;
}

const followKind = 'follow';

interface Following extends Pick<Needs, 'requests' | 'newId'> {
  asked: ReturnType<typeof createAsked>;
}

/** A sender of this server still waits: the new driver says how its request goes on. */
const followElsewhere = async (
  { requests: all, newId, asked }: Following,
  key: ThreadKey,
  requestId: string,
): Promise<void> => {
  const requests = all();
  const known = new Set(requests.get(requestId)?.events.map(({ type }) => type));
  const command = { id: newId('cmd_'), kind: followKind, body: requestId };
  const request = await asked.request(key, command).catch((error: unknown) => {
    if (!hasCode(error, 'NOT_FOUND')) throw error;
    requests.end(requestId, gone);
    return null;
  });
  if (request === null) return;
  request.listen((event) => {
    // What the sender knows of its run is not said again.
    if (!known.has(event.type)) requests.publish(requestId, event);
  });
  requests.end(requestId, await request.done);
};

/** How long it waits where the store did not answer. */
const againMs = 1_000;

/** The same for a server that cannot reach the store: it asks until it can, or stops. */
const followUntilEnd = async (
  needs: Following & Pick<Needs, 'clock' | 'onError'>,
  followed: { key: ThreadKey; requestId: string },
  stopping: AbortSignal,
): Promise<void> => {
  const { clock, onError, requests } = needs;
  while (!stopping.aborted && requests().get(followed.requestId)) {
    try {
      return await followElsewhere(needs, followed.key, followed.requestId);
    } catch (error) {
      onError(error);
    }
    await sleep(clock, againMs, stopping).catch(() => {});
  }
};

/** Commands that go to the driver by rows; hints make it faster. */
export const createServerCommands = (needs: Needs) => {
  const { servers, newId } = needs;
  const asked = createAsked({ ...needs, here: servers.here });
  const handlers = new Map<string, (row: CommandRow) => Promise<Done>>();
  /** Requests of other servers that are open here, by the id of the request. */
  const served = new Set<string>();
  const stopping = new AbortController();

  const elsewhere = async <Result>(
    local: () => Promise<Result>,
    remote: () => Promise<Result>,
  ): Promise<Result> => {
    try {
      return await local();
    } catch (error) {
      if (!(error instanceof ElsewhereError)) throw error;
    }
    return remote();
  };

  /** Of a repeated message the driver has said that it is the first one. */
  const requestIdOf = ({ id, kind, body, reply }: CommandRow): string => {
    if (kind === followKind) return String(JSON.parse(body));
    return reply === null ? id : String(readReply(reply).value ?? id);
  };

  const run = async ({ ctx }: Held, row: CommandRow): Promise<Done> => {
    const requestId = requestIdOf(row);
    if (row.state === 'accepted' || row.kind === followKind) {
      // A request of this server that was followed elsewhere stays its own.
      if (!needs.requests().get(requestId)) served.add(requestId);
      const { userId, threadId } = row;
      return { request: await replayById(ctx, needs.requests(), { userId, threadId, id: requestId }) };
    }
    const handler = handlers.get(row.kind);
    if (!handler) throw errors.badRequest({ message: 'This server does not know that command' });
    return handler(row);
  };
  const serving = createServing({ ...needs, run });

  const commands: Commands = {
    define: <Body, Result>(kind: string, run: Run<Body, Result>) => {
      // The body was written by this definition, on another server.
      handlers.set(kind, async ({ userId, threadId, id, body }) => ({
        value: await run({ userId, threadId }, JSON.parse(body) as Body, id),
      }));
      return (key: ThreadKey, body: Body) => {
        const id = newId('cmd_');
        return elsewhere(
          () => run(key, body, id),
          async () => (await asked.run(key, { id, kind, body })) as Result,
        );
      };
    },
    defineRequest: <Body>(kind: string, run: Run<Body, LaneRequest>) => {
      handlers.set(kind, async ({ userId, threadId, id, body }) => {
        served.add(id);
        return { request: await run({ userId, threadId }, JSON.parse(body) as Body, id) };
      });
      return (key: ThreadKey, body: Body) => {
        const id = newId('msg_');
        return elsewhere(
          async () => {
            const request = await run(key, body, id);
            // A repeated one of another server has a sender here, too.
            served.delete(request.requestId);
            return request;
          },
          () => asked.request(key, { id, kind, body }),
        );
      };
    },
  };
  return {
    commands,
    serve: serving.serve,
    onReply: asked.onHint,
    onLost: (key: ThreadKey) => {
      const requests = needs.requests();
      for (const { requestId } of requests.ofThread(key.userId, key.threadId))
        if (served.delete(requestId)) requests.forget(requestId);
        else void followUntilEnd({ ...needs, asked }, { key, requestId }, stopping.signal);
    },
    stop: () => {
      stopping.abort();
      asked.stop();
    },
  };
};
