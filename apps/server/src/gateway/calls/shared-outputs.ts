import type { CallEvent } from '@drawbridge/contracts/calls';
import type { ProgressBody } from '@drawbridge/contracts/daemon-surface';
import { createEmitter } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { publishCall } from './call.ts';
import type { OpenCalls } from './runner/open-calls.ts';
import type { LiveOutputs } from './live-outputs.ts';
import type { SharedCallsStore } from './store/shared-calls.store.ts';
import type { ThisServer } from '../cluster/this-server.ts';

type Progress = Extract<CallEvent, { type: 'progress' }>;

interface Needs {
  server: ThisServer;
  openCalls: OpenCalls;
  liveOutputs: LiveOutputs;
  sharedCalls: Pick<SharedCallsStore, 'stillOpen'>;
  onError(error: unknown): void;
}

/**
 * Live output is where the stream of its machine is. Other servers pass on what they receive of it, and ask
 * for it for a new reader.
 */
export const createSharedOutputs = ({ server, openCalls, liveOutputs, sharedCalls, onError }: Needs) => {
  const { bus } = server;
  const readers = createEmitter<Progress>(onError);

  /** Posts of other servers come in any order, and some are lost: what came before is not asked for again. */
  const receive = async (requestId: string, body: ProgressBody) => {
    const call = await openCalls.open(requestId);
    if (!call) return;
    const { outputOffset: outputKeptFrom } = body;
    const posted = { ...body, ...(outputKeptFrom !== undefined && { outputKeptFrom }) };
    publishCall(bus, call.data.record.userId, liveOutputs.append(call.data.record, posted).event);
  };

  if (bus.pollMs !== null) {
    server.subscribe((message) => {
      if (message.type === 'call-progress') receive(message.requestId, message.body).catch(onError);
      if (message.type === 'outputs') for (const event of message.events) readers.emit(message.reader, event);
    });
    bus.subscribe('all', (message) => {
      if (message.type !== 'outputs-wanted' || message.by === server.id()) return;
      const events = liveOutputs.of(message.userId);
      const { by, reader } = message;
      if (events.length > 0) bus.publish(`server:${by}`, { type: 'outputs', reader, events });
    });
    // Of a call that was made at another server, its end may be there alone.
    server.onRound(async () => {
      const known = liveOutputs.calls();
      if (known.length === 0) return;
      const open = await sharedCalls.stillOpen(known.map(({ requestId }) => requestId));
      for (const call of known) if (!open.has(call.requestId)) liveOutputs.drop(call);
    });
  }

  return {
    /** Passes a post on to the server that has the stream; without an answer, because none is awaited. */
    passOn: (serverId: string, requestId: string, body: ProgressBody) =>
      bus.publish(`server:${serverId}`, { type: 'call-progress', requestId, body }),
    /** Asks the other servers for what the user's calls have printed. The answers may be lost. */
    watch: (userId: string, listener: (event: Progress) => void) => {
      const reader = nanoid();
      const stop = readers.on(reader, listener);
      return {
        ask: () => {
          if (bus.pollMs !== null)
            bus.publish('all', { type: 'outputs-wanted', userId, by: server.id(), reader });
        },
        stop,
      };
    },
  };
};

export type SharedOutputs = ReturnType<typeof createSharedOutputs>;
