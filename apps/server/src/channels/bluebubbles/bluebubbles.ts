import { createHash } from 'node:crypto';
import { platforms } from '@drawbridge/contracts/outside/channel-platforms';
import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import {
  isSameSecret,
  PlatformError,
  type ChannelAdapter,
  type Destination,
  type OutgoingFile,
  type Fields,
} from '../adapter.ts';
import { toPlainText } from '../format/plain.ts';
import { createPlatformFetch } from '../platform-fetch.ts';
import { readPost, tapbacks, toUpdate } from './messages.ts';

const limits = { ms: 60_000, maxBytes: 8 * 1_024 * 1_024 };
const pageLength = 100;
const mostPages = 10;
/** Messages that the Mac has stored late. */
const overlapMs = 2 * 60_000;

const reply = z.object({
  status: z.number(),
  message: z.string().default(''),
  error: z.object({ message: z.string().default('') }).nullish(),
  data: z.unknown(),
});
const info = z.object({ detected_imessage: z.string().nullish() });
const webhooks = z.array(z.object({ id: z.number(), url: z.string() })).catch([]);
const addressOf = z.object({ chatGuid: z.string() });
const sentMessage = z.object({ guid: z.string() });

const toError = (status: number, words: string): PlatformError => {
  if (status === 401 || status === 403)
    return new PlatformError('key', 'BlueBubbles refuses the password. Copy it again from its settings.');
  if (status === 429) return new PlatformError('rate', 'BlueBubbles asks to wait', 1_000);
  if (/chat .*(not exist|not found)/i.test(words))
    return new PlatformError('gone', 'The Mac no longer has this chat');
  if (status >= 500) return new PlatformError('network', 'BlueBubbles has a problem');
  return new PlatformError('refused', `BlueBubbles refuses the request: ${words}`);
};

interface ApiNeeds {
  clock: Clock;
  url: string;
  password: string;
}

/** Calls of BlueBubbles' API, which takes its password in the address alone. Throws `PlatformError`. */
const createApi = ({ clock, url, password }: ApiNeeds) => {
  const base = url.replace(/\/+$/, '');
  const send = createPlatformFetch({ clock, name: 'BlueBubbles', limits });
  // Spelled as the log knows it, and hides it.
  const urlOf = (path: string) => new URL(`${base}/api/v1/${path}?password=${encodeURIComponent(password)}`);

  const call = async (
    path: string,
    { method = 'GET', body, signal }: { method?: string; body?: object | FormData; signal: AbortSignal },
  ): Promise<unknown> => {
    const answer = await send(urlOf(path), {
      method,
      ...(body instanceof FormData
        ? { body }
        : body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
      signal,
    });
    const parsed = reply.safeParse(jsonOf(answer.text));
    if (answer.status >= 400) {
      const words = parsed.data?.error?.message || parsed.data?.message || `HTTP ${answer.status}`;
      throw toError(answer.status, words);
    }
    if (!parsed.success)
      throw new PlatformError('network', 'The answer is not one of BlueBubbles. Check its address.');
    return parsed.data.data;
  };

  return {
    call,
    download: async (guid: string, signal: AbortSignal): Promise<Buffer> => {
      const to = urlOf(`attachment/${encodeURIComponent(guid)}/download`);
      const { status, bytes } = await send(to, { signal });
      if (status >= 400) throw toError(status, `HTTP ${status}`);
      return bytes;
    },
  };
};

/** A message of this id that still waits on the Mac is refused. */
const tempGuidOf = (id: string) => `temp-${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;

const createUpload =
  (call: ReturnType<typeof createApi>['call'], more: Record<string, string>) =>
  async (
    { name, mediaType, bytes }: OutgoingFile,
    { id, address, signal }: Omit<Destination, 'isPlain'>,
  ): Promise<string> => {
    const tempGuid = tempGuidOf(id);
    const form = new FormData();
    const fields = { ...addressOf.parse(address), tempGuid, name, method: 'apple-script', ...more };
    for (const [field, value] of Object.entries(fields)) form.set(field, value);
    form.set('attachment', new Blob([bytes], { type: mediaType }), name);
    const sent = sentMessage.safeParse(
      await call('message/attachment', { method: 'POST', body: form, signal }),
    );
    return sent.data?.guid ?? tempGuid;
  };

interface Needs {
  clock: Clock;
  fields: Fields;
}

/** iMessage of a Mac that runs BlueBubbles. Its posts are not repeated, so it is asked as well. */
export const createBlueBubbles = ({ clock, fields }: Needs): ChannelAdapter => {
  const { call, download } = createApi({ clock, ...platforms.bluebubbles.fields.parse(fields) });
  const startedAt = clock.now();
  const addressWithSecret = ({ url, secret }: { url: string; secret: string }) => `${url}?token=${secret}`;
  const list = async (signal: AbortSignal) => webhooks.parse(await call('webhook', { signal }));

  return {
    identify: async (signal) => {
      const known = info.safeParse(await call('server/info', { signal }));
      if (!known.success) throw new PlatformError('refused', 'BlueBubbles did not say who it is');
      return { name: known.data.detected_imessage ?? 'iMessage', link: () => null };
    },
    poll: async (cursor, signal) => {
      const after = (cursor === null ? startedAt : Number(cursor)) - overlapMs;
      const found: unknown[] = [];
      for (let page = 0; page < mostPages; page += 1) {
        const body = {
          after,
          offset: page * pageLength,
          limit: pageLength,
          sort: 'ASC',
          with: ['chat', 'handle', 'attachment'],
        };
        const data = z
          .array(z.unknown())
          .catch([])
          .parse(await call('message/query', { method: 'POST', body, signal }));
        found.push(...data);
        if (data.length < pageLength) break;
      }
      return found.flatMap((one) => toUpdate(one) ?? []);
    },
    confirm: null,
    pollEveryMs: { poll: 5_000, webhook: 60_000 },
    webhook: {
      register: async (to, signal) => {
        const address = addressWithSecret(to);
        const known = await list(signal);
        // Of an earlier password.
        for (const { id, url } of known)
          if (url !== address && url.startsWith(`${to.url}?token=`))
            await call(`webhook/${id}`, { method: 'DELETE', signal });
        if (known.some(({ url }) => url === address)) return;
        const body = { url: address, events: ['new-message'] };
        await call('webhook', { method: 'POST', body, signal });
      },
      problem: async (to, signal) =>
        (await list(signal)).some(({ url }) => url === addressWithSecret(to))
          ? null
          : 'BlueBubbles no longer posts to this server. Save this again.',
      isOwn: async ({ query }, { secret }) => {
        const tokens = query.getAll('token');
        return tokens.length === 1 && isSameSecret(tokens[0] ?? '', secret);
      },
      read: readPost,
    },
    send: async (text, { id, address, isPlain, signal }) => {
      const body = {
        ...addressOf.parse(address),
        tempGuid: tempGuidOf(id),
        message: isPlain ? text : toPlainText(text),
        method: 'apple-script',
      };
      const sent = sentMessage.safeParse(await call('message/text', { method: 'POST', body, signal }));
      return sent.data?.guid ?? body.tempGuid;
    },
    sendFile: createUpload(call, {}),
    voice: { format: 'mp3', send: createUpload(call, { isAudioMessage: 'true' }) },
    download,
    buttons: null,
    draftEveryMs: null,
    react: async (messageId, emoji, { address, signal }) => {
      const reaction = tapbacks.find((one) => one.emoji === emoji)?.name;
      const body = { ...addressOf.parse(address), selectedMessageGuid: messageId, reaction, partIndex: 0 };
      await call('message/react', { method: 'POST', body, signal });
    },
    typing: null,
  };
};
