import { policyOf } from '../../machines/lane-policy.ts';
import { type LaneState, nextItems, nextLane } from '../../machines/next-lane.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import type { TurnEffect } from '../effects.ts';
import { followed } from '../runs/after-run.ts';
import { type StartNeeds, startRun } from '../runs/start-run.ts';
import { routeOf } from '../runtimes/route.ts';
import { type LaneMemory, type LoadedLane, loadLane } from './load-lane.ts';
import type { Planned, Turn } from './turn.ts';

interface PlanNeeds extends LaneMemory {
  ctx: Pick<AgentNeeds, 'queueSettings' | 'model' | 'machine' | 'config'> & StartNeeds;
  /** `acquire` gives a function that releases the slot; null while too many runs are open. */
  slots: { acquire(key: ThreadKey): Promise<(() => void) | null> };
}

/** The transition, with a slot for its run where it needs one. Call `release` once the run is stored. */
export const planTurn = async (
  { ctx, slots }: PlanNeeds,
  key: ThreadKey,
  { lane, turn: { event, arrival } }: { lane: LoadedLane; turn: Turn },
): Promise<{ planned: Planned; release: (() => void) | null }> => {
  const settings = await ctx.queueSettings?.();
  const channel = arrival?.row.channel ?? nextItems(lane.state)[0]?.channel ?? '';
  const policy = policyOf({ settings, channel, overrides: lane.thread.lane.overrides });
  const facts = { now: ctx.clock.now(), policy };
  const { state, effects } = nextLane(lane.state, event, facts);
  const planned: Planned = { lane, policy, arrival, route: null, state, effects };
  if (lane.hasNewRun) {
    const settled = effects.filter(({ type }) => type === 'settle');
    return { planned: { ...planned, state: lane.state, effects: settled }, release: null };
  }
  const wantsSlot = effects.some(({ type }) => type === 'acquireSlot');
  const first = [...lane.queued, ...(arrival ? [arrival.row] : [])].find(({ id }) =>
    nextItems(state).some((item) => item.id === id),
  );
  const sender = { key: first?.sender ?? '', groups: first?.groups ?? null };
  const route = wantsSlot ? await routeOf(ctx, { thread: lane.thread, sender }) : null;
  const release = route === null ? null : await slots.acquire(key);
  if (release === null) return { planned, release };
  const started = nextLane(state, { type: 'slotAcquired', runId: ctx.newId('run_') }, facts);
  return {
    planned: { ...planned, route, state: started.state, effects: [...effects, ...started.effects] },
    release,
  };
};

/** Whether a message waits after the transition that it came with. */
export const isWaitingAfter = ({ effects }: Pick<Planned, 'effects'>, id: string): boolean =>
  effects.some((effect) => effect.type === 'wait' && effect.item.id === id) &&
  !effects.some((effect) => effect.type === 'start' && effect.items.some((item) => item.id === id));

/** A lane with nothing to run may start a run for what background work has brought. */
export const followNews = async (
  { ctx, slots, ...memory }: PlanNeeds,
  key: ThreadKey,
  { turn: { event }, state }: { turn: Turn; state: LaneState },
): Promise<TurnEffect[]> => {
  if (state.run !== null || nextItems(state).length > 0) return [];
  if (event.type !== 'checked' && event.type !== 'ended') return [];
  const lane = await loadLane(ctx, memory, key);
  if (!lane) return [];
  const { news, effects } = await followed(ctx, lane.thread);
  const model = news && lane.state.run === null ? await ctx.model.info('main') : null;
  // What background tasks have brought is for the model that began them.
  const route = model && { model: model.id, runtime: null, fallbackFrom: null };
  const release = route === null ? null : await slots.acquire(key);
  if (!news || route === null || release === null) return effects;
  const { sender, groups, usesMemory } = news;
  const start = { route, timeZone: null, sender, groups, usesMemory, messages: [] };
  const started = await startRun(ctx, lane.thread, start).finally(release);
  return [...effects, ...(started?.effects ?? [])];
};
