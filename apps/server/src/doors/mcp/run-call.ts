import type { CallEvent } from '@drawbridge/contracts';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { viaOf } from '../../auth/index.ts';
import type { Gateway } from '../../gateway/index.ts';
import { endAnswer } from './answer.ts';
import type { Caller } from './caller.ts';

/** A `tools/call` of one of the machine's tools, as any era carries it. */
export interface CallRequest {
  name: string;
  arguments: Record<string, unknown>;
  /** The client's `_meta`, without the protocol's own names. */
  meta: Record<string, unknown>;
}

export type ProgressEvent = Extract<CallEvent, { type: 'progress' }>;

/** How a client follows its call. */
export interface CallWatch {
  /** Aborts when the client cancels or leaves. */
  signal: AbortSignal;
  /** Hears what the tool says, where the client asked for progress. */
  onProgress?(event: ProgressEvent): void;
}

/** Runs a tool on the machine and gives what its caller is answered. Throws as `Gateway.call` does. */
export type RunCall = (caller: Caller, request: CallRequest, watch: CallWatch) => Promise<CallToolResult>;

export const createRunCall =
  (gateway: Gateway): RunCall =>
  async ({ access, userId, machineId }, { name, arguments: given }, { signal, onProgress }) => {
    let requestId: string | null = null;
    const unlisten =
      onProgress &&
      gateway.onCallChanged(userId, (event) => {
        if (event.type === 'progress' && event.requestId === requestId) onProgress(event);
      });
    try {
      const call = await gateway.call(
        userId,
        { name, arguments: given },
        {
          door: 'mcp',
          via: viaOf(access),
          until: 'ended',
          signal,
          ...(machineId !== undefined && { machineId }),
          onOpened: (id) => {
            requestId = id;
          },
        },
      );
      return endAnswer(call);
    } finally {
      unlisten?.();
    }
  };
