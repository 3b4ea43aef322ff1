import { jsonOf, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { PlatformError } from '../adapter.ts';
import { createPlatformFetch } from '../platform-fetch.ts';

/** A long poll lasts 25 s. */
export const pollSeconds = 25;
const limits = {
  poll: { ms: 35_000, maxBytes: 8 * 1_024 * 1_024 },
  other: { ms: 30_000, maxBytes: 1_024 * 1_024 },
  file: { ms: 60_000, maxBytes: 1_024 * 1_024 },
  download: { ms: 60_000, maxBytes: rpcLimits.attachmentBytes },
};

const reply = z.union([
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error_code: z.int(),
    description: z.string().default(''),
    parameters: z.object({ retry_after: z.number().optional() }).optional(),
  }),
]);

type Refusal = Extract<z.infer<typeof reply>, { ok: false }>;

const toError = ({ error_code: code, description, parameters }: Refusal): PlatformError => {
  if (code === 401 || code === 404)
    return new PlatformError('key', 'Telegram refuses the token. Copy it again from @BotFather.');
  if (code === 409)
    return new PlatformError('conflict', 'Another program receives the messages of this bot. Stop it.');
  if (code === 429)
    return new PlatformError('rate', 'Telegram asks to wait', (parameters?.retry_after ?? 1) * 1_000);
  if (code >= 500) return new PlatformError('network', 'Telegram has a problem');
  if (code === 403 || /chat not found|user is deactivated|chat was deleted/i.test(description))
    return new PlatformError('gone', 'The chat is closed for the bot');
  if (/can't parse entities/i.test(description)) return new PlatformError('format', description);
  return new PlatformError('refused', `Telegram refuses the message: ${description}`);
};

interface Needs {
  clock: Clock;
  /** The address of the Bot API. */
  url: string;
  token: string;
}

/** Where a file is, below the address of files. */
const filePath = z.object({ file_path: z.string().regex(/^(?!.*\.\.)[\w./-]{1,300}$/) });

/** Calls of Telegram's Bot API, whose token is in the address. All throw `PlatformError`. */
export const createTelegramApi = ({ clock, url, token }: Needs) => {
  const base = url.replace(/\/+$/, '');
  const fetchPoll = createPlatformFetch({ clock, name: 'Telegram', limits: limits.poll });
  const fetchOther = createPlatformFetch({ clock, name: 'Telegram', limits: limits.other });
  const fetchFile = createPlatformFetch({ clock, name: 'Telegram', limits: limits.file });

  const fetchDownload = createPlatformFetch({ clock, name: 'Telegram', limits: limits.download });

  /** Gives the result. */
  const call = async (
    method: string,
    parameters: object | FormData,
    signal: AbortSignal,
  ): Promise<unknown> => {
    const isForm = parameters instanceof FormData;
    const send = method === 'getUpdates' ? fetchPoll : isForm ? fetchFile : fetchOther;
    const answer = await send(new URL(`${base}/bot${token}/${method}`), {
      method: 'POST',
      ...(isForm
        ? { body: parameters }
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(parameters) }),
      signal,
    });
    const parsed = reply.safeParse(jsonOf(answer.text));
    if (!parsed.success)
      throw new PlatformError(
        'network',
        `Telegram gave an answer that is not its own (HTTP ${answer.status})`,
      );
    if (!parsed.data.ok) throw toError(parsed.data);
    return parsed.data.result;
  };

  return {
    call,
    download: async (fileId: string, signal: AbortSignal): Promise<Buffer> => {
      const { data: file } = filePath.safeParse(await call('getFile', { file_id: fileId }, signal));
      if (!file) throw new PlatformError('refused', 'Telegram does not say where the file is');
      const { status, bytes } = await fetchDownload(new URL(`${base}/file/bot${token}/${file.file_path}`), {
        signal,
      });
      if (status === 200) return bytes;
      throw new PlatformError(status >= 500 ? 'network' : 'refused', `Telegram has no file (HTTP ${status})`);
    },
  };
};
