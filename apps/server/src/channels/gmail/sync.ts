import type { Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { PlatformError, type IncomingMessage, type Update } from '../adapter.ts';
import type { GmailApi } from './api.ts';
import { mailOf, type Mail } from './read-mail.ts';

/** Of one poll; the rest comes with the next one. */
const mostMails = 200;
/** Where the history is gone. */
const mostCaughtUp = 50;
const hourMs = 60 * 60_000;

const historyId = z.string().regex(/^\d{1,20}$/);
const page = z.object({
  history: z
    .array(
      z.object({
        id: historyId,
        messagesAdded: z.array(z.object({ message: z.object({ id: z.string() }) })).default([]),
      }),
    )
    .default([]),
  nextPageToken: z.string().optional(),
  historyId,
});
const profile = z.object({ emailAddress: z.email().toLowerCase(), historyId });
const list = z.object({ messages: z.array(z.object({ id: z.string() })).default([]) });

/** Throws `PlatformError` for another answer. */
const read = <Value>(schema: z.ZodType<Value>, given: unknown): Value => {
  const { data } = schema.safeParse(given);
  if (data === undefined) throw new PlatformError('network', 'Gmail gave an answer that is not its own');
  return data;
};

export const readProfile = async (api: GmailApi, signal: AbortSignal) =>
  read(profile, await api.get('profile', {}, signal));

export const getMail = async (api: GmailApi, id: string, signal: AbortSignal): Promise<Mail | null> =>
  mailOf(await api.get(`messages/${encodeURIComponent(id)}`, { format: 'full' }, signal));

export const findMails = async (
  api: GmailApi,
  query: Record<string, string>,
  signal: AbortSignal,
): Promise<string[]> => read(list, await api.get('messages', query, signal)).messages.map(({ id }) => id);

/** Behind which change of the mailbox, and when the newest mail before it was received. */
interface Position {
  historyId: string;
  at: number;
}
const positionOf = (cursor: string | null): Position | null => {
  const [, id, at] = /^(\d{1,20}) (\d{1,16})$/.exec(cursor ?? '') ?? [];
  return id === undefined ? null : { historyId: id, at: Number(at) };
};
const cursorOf = ({ historyId: id, at }: Position): string => `${id} ${at}`;

interface Needs {
  clock: Clock;
  api: GmailApi;
  messageOf(mail: Mail, signal: AbortSignal): Promise<IncomingMessage | null>;
}

/** New mails of the inbox, behind a position in the history of the mailbox. */
export const createSync = ({ clock, api, messageOf }: Needs) => {
  /** The position alone. It is written once an hour also where it stays, so that it is not too old. */
  const moved = (to: Position): Update => ({
    updateId: `history ${to.historyId} ${Math.floor(clock.now() / hourMs)}`,
    cursor: cursorOf(to),
    event: null,
  });

  /** Null for one that is gone, and that cannot be read: it must not keep the next ones away. */
  const get = (id: string, signal: AbortSignal): Promise<Mail | null> =>
    getMail(api, id, signal).catch((error: unknown) => {
      if (error instanceof PlatformError && /^(refused|too-large)$/.test(error.kind)) return null;
      throw error;
    });

  /** Null where Gmail no longer has the history. */
  const historyAfter = async ({ historyId: after }: Position, signal: AbortSignal) => {
    const records: z.infer<typeof page>['history'] = [];
    let pageToken: string | undefined;
    for (let count = 0; ;) {
      const given = await api.get(
        'history',
        {
          startHistoryId: after,
          historyTypes: 'messageAdded',
          labelId: 'INBOX',
          ...(pageToken !== undefined && { pageToken }),
        },
        signal,
      );
      if (given === null) return null;
      const { history, nextPageToken, historyId: last } = read(page, given);
      records.push(...history);
      count += history.reduce((sum, { messagesAdded }) => sum + messagesAdded.length, 0);
      if (nextPageToken === undefined) return { records, last };
      if (count >= mostMails) return { records, last: null };
      pageToken = nextPageToken;
    }
  };

  /** The history is gone: mails of the last day that are not older than the newest one that was read. */
  const catchUp = async ({ at: after }: Position, signal: AbortSignal): Promise<Update[]> => {
    // Asked first: what comes meanwhile is behind it.
    const { historyId: now } = await readProfile(api, signal);
    const query = { q: 'in:inbox newer_than:1d', maxResults: String(mostCaughtUp) };
    const updates: Update[] = [];
    let at = after;
    for (const id of (await findMails(api, query, signal)).toReversed()) {
      const mail = await get(id, signal);
      if (mail === null || mail.internalDate < after) continue;
      at = Math.max(at, mail.internalDate);
      updates.push({ updateId: mail.id, cursor: null, event: await messageOf(mail, signal) });
    }
    return [...updates, moved({ historyId: now, at })];
  };

  return async (cursor: string | null, signal: AbortSignal): Promise<Update[]> => {
    const from = positionOf(cursor);
    if (from === null)
      return [moved({ historyId: (await readProfile(api, signal)).historyId, at: clock.now() })];
    const found = await historyAfter(from, signal);
    if (found === null) return catchUp(from, signal);
    const updates: Update[] = [];
    let { at } = from;
    for (const { id: recordId, messagesAdded } of found.records) {
      for (const { message } of messagesAdded) {
        const mail = await get(message.id, signal);
        if (mail === null) continue;
        at = Math.max(at, mail.internalDate);
        updates.push({ updateId: mail.id, cursor: null, event: await messageOf(mail, signal) });
      }
      updates.push(moved({ historyId: recordId, at }));
    }
    return found.last === null ? updates : [...updates, moved({ historyId: found.last, at })];
  };
};
