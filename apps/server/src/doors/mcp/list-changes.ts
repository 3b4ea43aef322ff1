import { PassThrough, type Readable } from 'node:stream';
import type { Clock } from '@drawbridge/kit';
import type { ServerEventBus } from '@modelcontextprotocol/server';
import type { Gateway } from '../../gateway/index.ts';

const pingEveryMs = 15_000;
const changed = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });

/** Tells one `subscriptions/listen` when the user's machine comes, goes or changes (revision 2026-07-28). */
export const machineBus = (gateway: Gateway, userId: string): ServerEventBus => ({
  publish: () => {},
  subscribe: (listen) => gateway.onStateChanged(userId, () => listen({ kind: 'tools_list_changed' })),
});

/** The same as the stream that a client of revision 2025-11-25 opens with GET. */
export const machineStream = (gateway: Gateway, userId: string, clock: Clock): Readable => {
  const stream = new PassThrough();
  const stops = [
    gateway.onStateChanged(userId, () => void stream.write(`event: message\ndata: ${changed}\n\n`)),
    clock.every(pingEveryMs, () => void stream.write(': ping\n\n')),
  ];
  stream.once('close', () => {
    for (const stop of stops) stop();
  });
  stream.write(': open\n\n');
  return stream;
};
