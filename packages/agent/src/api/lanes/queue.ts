import type { QueuedMessage, SendInput, SendReply, SentMessage } from '@drawbridge/contracts/agent/threads';
import type { LaneMode } from '@drawbridge/contracts/agent/lanes';
import type { LaneRunner } from '../../engine/lanes/runner.ts';
import type { LaneEffect } from '../../machines/next-lane.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import { errors } from '../../rows/errors.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import type { QueueRow } from '../../rows/rows.ts';
import { openRunOf, threadOf } from '../../rows/load.ts';
import { personSender, type Sender } from '../../rows/sender.ts';
import { update } from '../../rows/store.ts';
import { requireRoute } from '../../turns/runs/accept.ts';
import type { Commands } from './at-driver.ts';
import type { SendingLanes } from './lanes.ts';

const toQueued = ({ id, text, files, createdAt }: QueueRow): QueuedMessage => ({
  id,
  text,
  files,
  createdAt: new Date(createdAt).toISOString(),
});

/** What the modes of the panel mean in a lane; `queue` leaves it to the policy of the thread. */
const laneModeOf: Record<SendInput['mode'], LaneMode | undefined> = {
  reject: undefined,
  queue: undefined,
  steer: 'steer_backlog',
};

/**
 * A message, or a command such as `/queue`, which is answered. Throws `agentOff`, `budgetSpent`, `queueFull`,
 * `notFound` for the thread of another client, and where it is not to wait `runActive` and `tooManyRuns`.
 */
export const sendMessage = async (
  lanes: SendingLanes,
  { sender, threadId }: { sender: Sender; threadId: string },
  { message: text, mode, attachments, timeZone, machineId }: SendInput,
): Promise<SendReply> => {
  const answer = attachments.length === 0 ? await lanes.command(sender, threadId, text) : null;
  if (answer !== null) return { answer };
  const input = { text, attachments, mode: laneModeOf[mode], timeZone, machineId };
  const { requestId, done, listen } = await lanes.submit({
    sender,
    threadId,
    input,
    isRefusedWhenBusy: mode === 'reject',
  });
  let runId: string | undefined;
  listen((event) => {
    if ('runId' in event) runId = event.runId;
  })();
  if (runId !== undefined) return { runId };
  const end = await Promise.race([done, null]);
  if (end?.outcome === 'busy') throw errors.runActive();
  if (end?.outcome === 'overflow') throw errors.queueFull();
  return { queuedId: requestId };
};

const runIdIn = (effects: readonly LaneEffect[]): string | undefined =>
  effects.flatMap((effect) => (effect.type === 'start' || effect.type === 'steer' ? [effect.runId] : []))[0];

/** A message that waits in a thread. */
interface QueuedId {
  threadId: string;
  id: string;
}

interface QueueNeeds {
  ctx: Pick<AgentNeeds, 'store' | 'bus' | 'clock' | 'config' | 'model' | 'machine'>;
  runner: LaneRunner;
  commands: Commands;
}

export type Queue = ReturnType<typeof createQueue>;

/** Messages that wait for the open run to end. */
export const createQueue = ({ ctx, runner, commands }: QueueNeeds) => {
  const { store, bus, clock } = ctx;

  const queuedOf = async (userId: string, { threadId, id }: QueuedId): Promise<QueueRow> => {
    const [row] = await store.find('agentQueue', { userId, threadId, id });
    if (!row) throw errors.notFound();
    return row;
  };

  const requireAnswer = async ({ userId, threadId }: ThreadKey, sender: Pick<Sender, 'key' | 'groups'>) => {
    const thread = await threadOf(ctx, userId, threadId);
    if (!thread) throw errors.notFound();
    await requireRoute(ctx, { thread, sender });
  };

  const edit = commands.define('edit', (key, { id, text }: { id: string; text: string }) =>
    runner.exclusive(key, async (own) => {
      const { userId, threadId } = key;
      const where = { userId, threadId, id };
      const row = await queuedOf(userId, where);
      const change = { text, editedAt: clock.now() };
      if (!(await own.store.commit([update('agentQueue', where, change)], 'synced'))) throw errors.notFound();
      bus.changed(userId, threadId);
      return toQueued({ ...row, text });
    }),
  );
  const remove = commands.define('remove', async ({ userId, threadId }, id: string): Promise<void> => {
    await queuedOf(userId, { threadId, id });
    await runner.post({ userId, threadId }, { event: { type: 'cancelAsked', what: { request: id } } });
  });
  const steer = commands.define('steer', async ({ userId, threadId }, id: string): Promise<SentMessage> => {
    const { sender: key, groups } = await queuedOf(userId, { threadId, id });
    await requireAnswer({ userId, threadId }, { key, groups });
    const { effects } = await runner.post({ userId, threadId }, { event: { type: 'sentNow', id } });
    const runId = runIdIn(effects);
    return runId === undefined ? { queuedId: id } : { runId };
  });
  const resume = commands.define('resume', async ({ userId, threadId }): Promise<void> => {
    const first = { orderBy: 'position', limit: 1 } as const;
    const [waiting] = await store.find('agentQueue', { userId, threadId }, first);
    const sender = waiting ? { key: waiting.sender, groups: waiting.groups } : personSender(userId, '');
    if (!(await openRunOf(ctx, userId, threadId))) await requireAnswer({ userId, threadId }, sender);
    await runner.post({ userId, threadId }, { event: { type: 'resumed' } });
  });

  return {
    list: async (userId: string, threadId: string) =>
      (await store.find('agentQueue', { userId, threadId }, { orderBy: 'position' })).map(toQueued),
    edit: (userId: string, { threadId, id }: QueuedId, text: string) =>
      edit({ userId, threadId }, { id, text }),
    remove: (userId: string, { threadId, id }: QueuedId) => remove({ userId, threadId }, id),
    /** Puts it into the open run at once. */
    steer: (userId: string, { threadId, id }: QueuedId) => steer({ userId, threadId }, id),
    /** Runs what Stop has paused. */
    resume: (userId: string, threadId: string) => resume({ userId, threadId }, null),
  };
};
