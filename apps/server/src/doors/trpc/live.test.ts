import { createEmitter, systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { Accounts } from '../../auth/index.ts';
import { createQuota, createUnread } from '../../http/index.ts';
import { read } from '../../readers/read.ts';
import { live } from './live.ts';

const session = {
  key: 't',
  user: { id: 'ada', name: 'Ada', email: 'ada@example.org', isOwner: false },
};
// A reader asks for nothing else of the accounts.
const accounts = { watch: () => () => {} } as unknown as Accounts;

const streams = createQuota(2);
const unread = createUnread({ clock: systemClock, limits: { perPerson: 1e9, inAll: 1e9 } });

/** A reader that has taken one event and then stands still. */
const standing = async () => {
  const events = createEmitter<string>(() => {});
  const reader = live<string>({ accounts, session, streams, signal: undefined }, (signal) =>
    read({ userId: 'ada', unread, maxLength: 4 * 1024 * 1024, signal }, [
      (feed) => {
        feed.due('first', async () => ['first']);
        const stop = events.on('all', (text) => feed.push(() => [text], text.length));
        return { ready: Promise.resolve(), stop };
      },
    ]),
  );
  expect((await reader.next()).value).toBe('first');
  return {
    reader,
    publish: (text: string) => events.emit('all', text),
    listening: () => events.count('all'),
  };
};

const megabyte = 'x'.repeat(1024 * 1024);

it.each([
  ['1,000 events', { texts: Array.from({ length: 1_000 }, () => 'x'), kept: true }],
  ['one event more', { texts: Array.from({ length: 1_001 }, () => 'x'), kept: false }],
  ['4 MiB of text', { texts: [megabyte, megabyte, megabyte, megabyte], kept: true }],
  ['a letter more', { texts: [megabyte, megabyte, megabyte, megabyte, 'x'], kept: false }],
] as const)('a reader that stands still and leaves %s unread', async (_name, { texts, kept }) => {
  const { reader, publish, listening } = await standing();
  for (const text of texts) publish(text);
  if (!kept) {
    await expect(reader.next()).rejects.toMatchObject({ code: 'INTERNAL' });
    return void expect(listening()).toBe(0);
  }
  for (const text of texts) expect((await reader.next()).value === text).toBe(true);
  for (const text of texts) publish(text);
  expect((await reader.next()).value === texts[0]).toBe(true);
  await reader.return();
});

it('a user has a bounded number of readers, and a slot again when one has disconnected', async () => {
  const first = await standing();
  const second = await standing();
  await expect(standing()).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
  await first.reader.return();
  const third = await standing();
  for (const { reader } of [second, third]) await reader.return();
});
