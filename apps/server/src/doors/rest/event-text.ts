import type { CallEvent, GatewayStatus } from '@drawbridge/contracts';

/** What a stream of events carries; `event` is the name of the frame. */
export type RestEvent =
  | { event: 'status'; data: GatewayStatus }
  | { event: CallEvent['type']; data: CallEvent };

/** One frame of `text/event-stream`. */
export const eventText = (id: string, { event, data }: RestEvent): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
