import type { Clock } from '@drawbridge/kit';
import { ProtocolError, SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { FastifyReply } from 'fastify';
import { createAnswerChannel } from './answer-channel.ts';
import type { Caller } from './caller.ts';
import type { Asking, ClientAnswer, ClientRequest } from './client-requests.ts';
import type { ClientAbility } from './client-side.ts';
import { rpcError } from './json-rpc.ts';
import type { PlainRequest } from './plain-request.ts';
import { createProgress } from './progress.ts';
import { callInRounds, type AskClient } from './rounds.ts';
import { cacheHint, serverInfo } from './sdk-server.ts';
import { showPageOf } from './show-page.ts';
import type { Toolbox } from './toolbox.ts';

/** A session of revision 2025-11-25: what its client can be asked for, and how. */
export interface Session {
  can: readonly ClientAbility[];
  ask(request: ClientRequest, how: Asking): Promise<ClientAnswer | null>;
}

interface Exchange {
  reply: FastifyReply;
  signal: AbortSignal;
  read: Promise<boolean>;
  /** Whether the client reads an event stream. */
  streams: boolean;
  /** What the client can be asked for in its session, and how; null where it has none. */
  session: Session | null;
}

export type AnswerPlain = (
  caller: Caller,
  request: PlainRequest,
  exchange: Exchange,
) => Promise<FastifyReply>;

/** What revision 2026-07-28 has in every result. */
const stateless = ({ _meta, ...result }: { _meta?: Record<string, unknown>; [name: string]: unknown }) => ({
  ...result,
  resultType: 'complete',
  _meta: { ..._meta, [SERVER_INFO_META_KEY]: serverInfo },
});

/** Answers a plain request as the protocol's own server would, at a small part of the cost. */
export const createAnswerPlain =
  ({ toolbox, clock }: { toolbox: Toolbox; clock: Clock }): AnswerPlain =>
  async (
    caller,
    { id, isStateless, call, meta, progressToken },
    { reply, signal, read, streams, session },
  ) => {
    const channel = createAnswerChannel(reply, { clock, streams });
    const progress = createProgress();
    const onProgress: Parameters<Toolbox['call']>[2]['onProgress'] = (said) =>
      channel.notify({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { ...progress(said), progressToken },
      });
    const ask: AskClient | null =
      session && streams ? (request) => session.ask(request, { send: channel.notify, signal }) : null;
    const showsPages = streams && session?.can.includes('elicitation/url');
    const watch = {
      signal,
      read,
      ...(progressToken !== undefined && { onProgress }),
      ...(showsPages && session && { showPage: showPageOf(session, channel.notify) }),
    };
    try {
      const result = call
        ? await callInRounds(
            toolbox,
            { caller, request: { ...call, meta, client: { can: session?.can ?? [] } }, ask },
            watch,
          )
        : { tools: await toolbox.list(caller), ...(isStateless && cacheHint) };
      return channel.end({ jsonrpc: '2.0', id, result: isStateless ? stateless(result) : result });
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      const { code, message, data } = error;
      return channel.end(rpcError({ id, code, message, data }));
    }
  };
