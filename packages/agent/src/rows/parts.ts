import { messageFile, type MessageFile } from '@drawbridge/contracts/agent/events';
import { z } from 'zod';
import { text } from './columns.ts';

export const messagePart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  /** What a program has posted to a webhook: data, not the person's words. */
  z.object({ type: z.literal('delivery'), hook: text, text }),
  /** `metadata` belongs to the provider that wrote it. */
  z.object({ type: z.literal('reasoning'), text, provider: text, metadata: z.unknown() }),
  z.object({ type: z.literal('file'), file: messageFile }),
  z.object({ type: z.literal('tool-call'), toolCallId: text, tool: text, arguments: text }),
]);
export type MessagePart = z.infer<typeof messagePart>;

export const resultPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text }),
  z.object({ type: z.literal('image'), fileId: text, mediaType: text }),
  /** Sent to the person; the model has its name in the text. */
  z.object({ type: z.literal('file'), file: messageFile }),
]);
export type ResultPart = z.infer<typeof resultPart>;

/** What a message says, as people read it. */
export const wordsOf = (parts: readonly MessagePart[]): string =>
  parts.flatMap((part) => (part.type === 'text' || part.type === 'delivery' ? [part.text] : [])).join('\n');

/** What a result shows the person beside its text; nothing for a text alone. */
export const filesOf = (parts: readonly ResultPart[]): { pictures?: string[]; files?: MessageFile[] } => {
  const pictures = parts.flatMap((part) => (part.type === 'image' ? [part.fileId] : []));
  const files = parts.flatMap((part) => (part.type === 'file' ? [part.file] : []));
  return { ...(pictures.length > 0 && { pictures }), ...(files.length > 0 && { files }) };
};
