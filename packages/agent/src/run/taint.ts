import type { AgentNeeds } from '../engine/context.ts';
import { personKey } from '../lanes/sender.ts';
import type { MessageFile } from '@drawbridge/contracts/agent/events';
import type { RunRow } from '../rows.ts';
import type { ThreadKey } from '../thread-key.ts';

/** Whether messages hold text from outside: those of a client or a webhook, and every attachment. */
export const isFromOutside = (
  { sender }: Pick<RunRow, 'sender'>,
  messages: readonly { files: readonly MessageFile[] }[],
): boolean => sender !== personKey || messages.some(({ files }) => files.length > 0);

/** Whether text from outside has entered a thread, in any of its runs. */
export const isThreadTainted = async (
  { store }: Pick<AgentNeeds, 'store'>,
  { userId, threadId }: ThreadKey,
): Promise<boolean> =>
  (await store.find('agentAgents', { userId, threadId, tainted: true }, { limit: 1 })).length > 0;
