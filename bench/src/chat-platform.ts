import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@drawbridge/e2e/harness';
import { systemClock } from '@drawbridge/kit';

interface Sent {
  chat_id: string;
  text: string;
}

/** Telegram's Bot API for one bot: updates are given until they are confirmed, and what is sent is noted. */
export const startChatPlatform = async () => {
  let updates: { update_id: number; message: object }[] = [];
  let next = 1;
  let waiting: (() => void)[] = [];
  const listeners = new Set<(sent: Sent) => void>();

  const reply = (to: ServerResponse, result: unknown) => {
    to.writeHead(200, { 'content-type': 'application/json' });
    to.end(JSON.stringify({ ok: true, result }));
  };
  const poll = (offset: number, limit: number, to: ServerResponse) => {
    updates = updates.filter(({ update_id: id }) => id >= offset);
    if (updates.length > 0) return reply(to, updates.slice(0, limit));
    waiting.push(() => poll(offset, limit, to));
  };
  const server = createServer((incoming, to) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    incoming.on('end', () => {
      const method = incoming.url?.split('/').at(-1);
      const body = JSON.parse(text || '{}') as Sent & { offset?: number; limit?: number };
      if (method === 'getUpdates') return poll(body.offset ?? 0, body.limit ?? 100, to);
      if (method === 'sendMessage') listeners.forEach((listener) => listener(body));
      return reply(to, { message_id: (next += 1), id: 1, username: 'bench_bot' });
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;

  const say = (from: number, text: string): void => {
    const chat = { id: from, type: 'private' };
    const sender = { id: from, is_bot: false, first_name: `Person ${from}` };
    const date = Math.floor(systemClock.now() / 1_000);
    next += 1;
    updates.push({ update_id: next, message: { message_id: next, from: sender, chat, date, text } });
    for (const wake of waiting.splice(0)) wake();
  };
  return {
    environment: {
      TELEGRAM_BOT_TOKEN: `123456:${'A'.repeat(35)}`,
      TELEGRAM_API_URL: `http://127.0.0.1:${port}`,
    },
    say,
    /** Resolves to the next text that the bot sends to a person. */
    next: (to: number): Promise<string> =>
      new Promise((resolve) => {
        const listener = ({ chat_id: chat, text }: Sent) => {
          if (chat !== String(to)) return;
          listeners.delete(listener);
          resolve(text);
        };
        listeners.add(listener);
      }),
    /** The server has all updates. */
    settled: () => until(async () => waiting.length > 0),
    close: () => void server.close().closeAllConnections(),
  };
};
