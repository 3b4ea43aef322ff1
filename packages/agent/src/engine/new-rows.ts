import type { FileRow, MessageRow, ThreadRow } from '../rows.ts';
import type { AgentNeeds } from './context.ts';

type Maker = Pick<AgentNeeds, 'clock' | 'newId'>;

type OwnColumns = 'id' | 'v' | 'createdAt';

/** A message of a history; `step` and `tokens` are 0 for a message that no model wrote. */
export const newMessage = (
  ctx: Maker,
  given: Omit<MessageRow, OwnColumns | 'step' | 'tokens'> & Partial<MessageRow>,
): MessageRow => ({
  id: ctx.newId('msg_'),
  step: 0,
  tokens: 0,
  v: 1,
  createdAt: ctx.clock.now(),
  ...given,
});

/** A file of a thread; `data` is base64. */
export const newFile = (
  ctx: Maker,
  { userId, id: threadId }: Pick<ThreadRow, 'userId' | 'id'>,
  given: Pick<FileRow, 'name' | 'mediaType' | 'data'>,
): FileRow => ({
  ...given,
  userId,
  id: ctx.newId('file_'),
  threadId,
  bytes: Math.floor((given.data.length * 3) / 4),
  createdAt: ctx.clock.now(),
});
