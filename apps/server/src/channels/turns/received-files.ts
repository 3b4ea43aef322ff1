import { attachmentTypes, maxAttachments, type Attachment } from '@drawbridge/contracts/agent/threads';
import type { ChannelKind } from '@drawbridge/contracts/outside/channel-platforms';
import { rpcLimits } from '@drawbridge/contracts/rpc/protocol';
import { exponential, fileNameOf, fullJitter, mediaTypeOf, sleep, type Clock } from '@drawbridge/kit';
import { z } from 'zod';
import { createDeadline } from '../../outside/index.ts';
import { asVoiceMessage, VoiceError, type Transcribe } from '../../voice/index.ts';
import { PlatformError, type ChannelAdapter, type IncomingFile } from '../adapter.ts';
import type { StoredMessage } from './messages.store.ts';

interface Needs {
  clock: Clock;
  transcribe: Transcribe;
  /** Null while the channel is off. */
  adapterOf(kind: ChannelKind): ChannelAdapter | null;
}

/** Files of a message as the agent takes them. `problems`: a sentence about each that was left out. */
export interface ReceivedFiles {
  attachments: Attachment[];
  /** What was said in voice messages. */
  spoken: string[];
  problems: string[];
}

const storedFiles = z.array(
  z.object({
    id: z.string().nullable(),
    name: z.string(),
    size: z.number().nullable(),
    text: z.string().optional(),
    isForwarded: z.boolean().optional(),
  }),
);

/** Of one message. */
const fetchMs = 60_000;
const tries = 3;
const retry = { baseMs: 1_000, capMs: 10_000 };
const mebibytes = (bytes: number) => `${bytes / 1_024 / 1_024} MiB`;
const { attachmentBytes, attachmentsBytes } = rpcLimits;
const tooLarge = `it is larger than ${mebibytes(attachmentBytes)}`;
const notFetched = 'it could not be fetched';
const unread = 'pictures, PDF, text and voice are read here';
const noFiles = 'files are not read in this channel';

/** As it stands in a text: its sender chose it, or somebody whose message they forward. */
const shown = (name: string): string => name.replaceAll(/[^\p{L}\p{N} ._-]/gu, ' ').trim() || 'file';

/** A text for a message without one. */
export const textForFiles = (attachments: readonly Attachment[]): string =>
  `[${attachments.map(({ name }) => shown(name)).join(', ')}]`;

/** A recording of somebody else, as a file: files are data to the agent. */
const saidByOthers = (name: string, words: string): Attachment => ({
  name: `${name}.txt`,
  mediaType: 'text/plain',
  data: Buffer.from(`Said in a forwarded recording:\n\n${words}\n`).toString('base64'),
});

const isFinal = (error: unknown, attempt: number): boolean =>
  !(error instanceof PlatformError) ||
  (error.kind !== 'network' && error.kind !== 'rate') ||
  attempt >= tries;

type Download = NonNullable<ChannelAdapter['download']>;

const download = async (
  once: Download,
  fileId: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<Buffer | string> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await once(fileId, signal);
    } catch (error) {
      if (error instanceof PlatformError && error.kind === 'too-large') return tooLarge;
      if (signal.aborted || isFinal(error, attempt)) return notFetched;
      const asked = error instanceof PlatformError ? error.retryAfterMs : undefined;
      await sleep(clock, asked ?? fullJitter(exponential(attempt, retry)), signal).catch(() => undefined);
    }
  }
};

/**
 * Downloads the files of a message of a paired sender, within a minute. Throws the reason of the signal; what
 * else fails is a sentence.
 */
export const createReceivedFiles = ({ clock, transcribe, adapterOf }: Needs) => {
  /** Its bytes, or why it is left out. */
  const fetchOne = async (
    { id, size, text }: IncomingFile,
    { kind, left, signal }: { kind: ChannelKind; left: number; signal: AbortSignal },
  ): Promise<Buffer | string> => {
    if (text !== undefined) return Buffer.from(text);
    const once = adapterOf(kind)?.download ?? null;
    if (once === null) return noFiles;
    if (id === null) return unread;
    if ((size ?? 0) > attachmentBytes) return tooLarge;
    const bytes = await download(once, id, { clock, signal });
    if (typeof bytes === 'string') return bytes;
    if (bytes.length > attachmentBytes) return tooLarge;
    return bytes.length > left ? `the files are larger than ${mebibytes(attachmentsBytes)} together` : bytes;
  };

  /** Puts a file where it belongs; a sentence where it belongs nowhere. */
  const put = async (
    { attachments, spoken }: ReceivedFiles,
    { name, bytes, isForwarded = false }: { name: string; bytes: Buffer; isForwarded?: boolean | undefined },
    signal: AbortSignal,
  ): Promise<string | null> => {
    const mediaType = mediaTypeOf(bytes);
    if (mediaType.startsWith('audio/')) {
      try {
        const words = await transcribe({ bytes, mediaType }, signal);
        if (isForwarded) attachments.push(saidByOthers(name, words));
        else spoken.push(asVoiceMessage(words));
        return null;
      } catch (error) {
        if (error instanceof VoiceError) return error.message;
        throw error;
      }
    }
    if (attachmentTypes[mediaType] !== mediaType) return unread;
    attachments.push({ name, mediaType, data: bytes.toString('base64') });
    return null;
  };

  return async ({ kind, files: stored }: StoredMessage, signal: AbortSignal): Promise<ReceivedFiles> => {
    const files = storedFiles.parse(JSON.parse(stored ?? '[]'));
    const received: ReceivedFiles = { attachments: [], spoken: [], problems: [] };
    if (files.length === 0) return received;
    const deadline = createDeadline({ clock, ms: fetchMs }, signal);
    let left: number = attachmentsBytes;
    try {
      for (const file of files.slice(0, maxAttachments)) {
        const name = fileNameOf(file.name);
        const place = { kind: kind as ChannelKind, left, signal: deadline.signal };
        const bytes = await fetchOne(file, place);
        const { isForwarded } = file;
        const problem =
          typeof bytes === 'string' ? bytes : await put(received, { name, bytes, isForwarded }, signal);
        if (problem !== null) received.problems.push(`${shown(name)} was not read: ${problem}.`);
        left -= typeof bytes === 'string' ? 0 : bytes.length;
      }
    } finally {
      deadline.stop();
    }
    signal.throwIfAborted();
    if (files.length > maxAttachments)
      received.problems.push(`${maxAttachments} files of a message are read.`);
    return received;
  };
};
