import { startRun } from '../../run/start-run.ts';
import { followed } from '../../run/after-run.ts';
import type { ThreadKey } from '../../thread-key.ts';
import { loadLane, type LoadedLane } from './load-lane.ts';
import { nextItems, nextLane, type LaneState } from '../next-lane.ts';
import { policyOf } from '../policy.ts';
import type { LaneNeeds, Planned, Turn } from './turn.ts';

/**
 * The transition, with a place for its run where it asks for one and gets it. `release` gives the place back:
 * call it when the run is stored.
 */
export const planTurn = async (
  { ctx, places }: LaneNeeds,
  key: ThreadKey,
  { lane, turn: { event, arrival } }: { lane: LoadedLane; turn: Turn },
): Promise<{ planned: Planned; release: (() => void) | null }> => {
  const settings = await ctx.queueSettings?.();
  const channel = arrival?.row.channel ?? nextItems(lane.state)[0]?.channel ?? '';
  const policy = policyOf({ settings, channel, overrides: lane.thread.lane.overrides });
  const facts = { now: ctx.clock.now(), policy };
  const { state, effects } = nextLane(lane.state, event, facts);
  const planned: Planned = { lane, policy, arrival, model: null, state, effects };
  if (lane.hasNewRun) {
    const settled = effects.filter(({ type }) => type === 'settle');
    return { planned: { ...planned, state: lane.state, effects: settled }, release: null };
  }
  const isClaimed = effects.some(({ type }) => type === 'claim');
  const model = isClaimed ? ((await ctx.model.info('main'))?.id ?? null) : null;
  const release = model === null ? null : await places.take(key);
  if (release === null) return { planned, release };
  const placed = nextLane(state, { type: 'placed', runId: ctx.newId('run_') }, facts);
  return {
    planned: { ...planned, model, state: placed.state, effects: [...effects, ...placed.effects] },
    release,
  };
};

/** A lane with nothing to run may tell what background work has brought. */
export const followNews = async (
  { ctx, requests, cancelling, places }: LaneNeeds,
  key: ThreadKey,
  { turn: { event }, state }: { turn: Turn; state: LaneState },
): Promise<void> => {
  if (state.run !== null || nextItems(state).length > 0) return;
  if (event.type !== 'checked' && event.type !== 'ended') return;
  const lane = await loadLane(ctx, { requests, cancelling }, key);
  const news = lane && (await followed(ctx, lane.thread));
  const model = await ctx.model.info('main');
  if (!lane || !news || lane.state.run !== null || model === null) return;
  const release = await places.take(key);
  if (release === null) return;
  const { sender, groups, usesMemory } = news;
  const start = { model: model.id, timeZone: null, sender, groups, usesMemory, messages: [] };
  await startRun(ctx, lane.thread, start).finally(release);
};
