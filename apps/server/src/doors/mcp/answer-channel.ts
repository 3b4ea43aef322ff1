import type { Clock } from '@drawbridge/kit';
import type { FastifyReply } from 'fastify';

/** After this long without an answer it becomes a stream, which then says so often that it is alive. */
const quietMs = 10_000;
/** Beyond this, notifications are left out for a client that does not read them. The answer is not. */
const maxUnreadBytes = 1024 * 1024;

const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/** How one request is answered: JSON when the answer comes soon and alone, else an event stream that ends with it. */
export interface AnswerChannel {
  notify(message: object): void;
  end(message: object): FastifyReply;
}

interface ChannelNeeds {
  clock: Clock;
  /** Whether the client reads an event stream. */
  streams: boolean;
}

const frame = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;

export const createAnswerChannel = (reply: FastifyReply, { clock, streams }: ChannelNeeds): AnswerChannel => {
  const { raw } = reply;
  let opened = false;

  const open = () => {
    if (opened) return;
    opened = true;
    reply.hijack();
    for (const [name, value] of Object.entries({ ...reply.getHeaders(), ...headers })) {
      if (value !== undefined) raw.setHeader(name, value);
    }
    raw.writeHead(200);
  };
  const write = (text: string) => {
    if (!streams || raw.destroyed || raw.writableEnded || raw.writableLength > maxUnreadBytes) return;
    open();
    raw.write(text);
  };
  const stopTicking = clock.every(quietMs, () => write(': waiting\n\n'));
  raw.once('close', stopTicking);

  return {
    notify: (message) => write(frame(message)),
    end: (message) => {
      stopTicking();
      if (!opened) return reply.header('content-type', 'application/json').send(JSON.stringify(message));
      raw.end(frame(message));
      return reply;
    },
  };
};
