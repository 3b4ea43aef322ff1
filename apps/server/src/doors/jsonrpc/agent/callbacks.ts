import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import type { RpcContext } from '../context.ts';
import type { RpcEvent } from '../protocol/reply.ts';
import type { Connection } from '../socket/connection.ts';
import { machineQuestion } from './questions.ts';

/** What a connection shows of the questions about the calls of one thread. */
interface Callback {
  stop(): void;
}

const ofConnections = new WeakMap<Connection, Map<string, Callback>>();

/** The threads whose questions a connection shows. */
export const callbacksOf = (connection: Connection) => {
  const open = ofConnections.get(connection) ?? new Map<string, Callback>();
  ofConnections.set(connection, open);
  const disable = (threadId: string) => {
    open.get(threadId)?.stop();
    open.delete(threadId);
  };
  return {
    /** Sends each question about a call of the thread, and how it was closed. Twice is once. */
    enable: (ctx: RpcContext, threadId: string, emit: (event: RpcEvent) => void): void => {
      disable(threadId);
      const { identity } = connection;
      const tell = ({ confirmation }: ConfirmationEvent) => {
        const { via } = confirmation;
        if (via?.kind !== 'thread' || via.id !== threadId) return;
        const { id: confirmId, state, decision, decidedBy } = confirmation;
        if (state === 'open')
          emit({ event: 'confirm_request', data: machineQuestion(ctx, identity, confirmation) });
        else emit({ event: 'confirm_resolved', data: { confirmId, state, decision, decidedBy } });
      };
      const stop = ctx.gateway.confirmations.onChanged(identity.userId, tell);
      open.set(threadId, { stop });
      connection.onClosed(() => disable(threadId));
    },
    disable,
  };
};
