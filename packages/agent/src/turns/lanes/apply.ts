import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import type { QueueRow } from '../../rows/rows.ts';
import { agentLimits } from '../../rows/limits.ts';
import { openRunOf } from '../../rows/load.ts';
import type { TurnEffect } from '../effects.ts';
import { type NewMessage, type StartNeeds, startRun } from '../runs/start-run.ts';
import { steer, type SteerNeeds } from '../runs/steer.ts';
import { laneWrites } from './lane-writes.ts';
import { isWaitingAfter } from './plan-turn.ts';
import type { Planned } from './turn.ts';

const droppedNote = (texts: readonly string[]): { note?: string } =>
  texts.length === 0
    ? {}
    : {
        note: `[Messages that were dropped because too many waited. Do not act on these:]\n${texts.map((text) => `- ${text}`).join('\n')}`,
      };

const messagesOf = (rows: readonly QueueRow[], arrived: string | undefined): NewMessage[] =>
  rows.map(({ id, text, files }) => ({ id, text, files, source: id === arrived ? 'sent' : 'queued' }));

type ApplyNeeds = StartNeeds & SteerNeeds;

interface Applied {
  isWritten: boolean;
  effects: TurnEffect[];
}

/** Writes a transition. `isWritten`: false if something else was written meanwhile. */
export const applyTurn = async (ctx: ApplyNeeds, plan: Planned): Promise<Applied> => {
  const { lane, policy, state, effects, arrival, route } = plan;
  const { thread } = lane;
  const writes = laneWrites(lane, arrival, { state, effects, isSummarized: policy.summarizeOverflow });
  const rows = [...lane.queued, ...(arrival ? [arrival.row] : [])];
  const rowsOf = (items: readonly { id: string }[]) =>
    items.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
  for (const effect of effects) {
    if (effect.type === 'steer') {
      const run = await openRunOf(ctx, thread.userId, thread.id);
      const messages = messagesOf(rowsOf(effect.items), undefined);
      if (run?.id !== effect.runId) return { isWritten: false, effects: [] };
      const { isSteered, effects: followed } = await steer(ctx, run, { messages, writes });
      return { isWritten: isSteered, effects: followed };
    }
    if (effect.type === 'start' && route !== null) {
      const items = rowsOf(effect.items);
      const last = items.at(-1);
      const started = await startRun(ctx, thread, {
        route,
        runId: effect.runId,
        timeZone: last?.timeZone ?? null,
        sender: last?.sender ?? '',
        groups: last?.groups ?? null,
        usesMemory: last?.usesMemory ?? false,
        messages: messagesOf(items, arrival?.row.id),
        writes,
        ...droppedNote(thread.lane.droppedTexts),
      });
      return { isWritten: started !== null, effects: started?.effects ?? [] };
    }
  }
  const isWritten = writes.length === 0 || (await ctx.store.commit(writes, 'synced'));
  return { isWritten, effects: [] };
};

const attachmentBytes = (rows: readonly Pick<QueueRow, 'files'>[]): number =>
  rows.flatMap(({ files }) => files).reduce((sum, { bytes = 0 }) => sum + bytes, 0);

/** Refuses a message that would wait beside too many of the user. Throws `queueFull` and `tooLarge`. */
export const refuseTooManyWaiting = async (
  { store }: Pick<AgentNeeds, 'store'>,
  { arrival, effects }: Pick<Planned, 'arrival' | 'effects'>,
) => {
  if (!arrival || !isWaitingAfter({ effects }, arrival.row.id)) return;
  const waiting = await store.find('agentQueue', { userId: arrival.row.userId }, { isLenient: true });
  if (waiting.length >= agentLimits.waitingPerUser)
    throw errors.queueFull({ message: `${agentLimits.waitingPerUser} messages of this user wait` });
  // Messages without attachments may wait beside any.
  const added = attachmentBytes([arrival.row]);
  if (added > 0 && added + attachmentBytes(waiting) > agentLimits.waitingAttachmentBytes)
    throw errors.tooLarge({
      message: 'The attachments of the messages that wait are too large together',
      fix: 'Wait for some of them to run.',
    });
};
