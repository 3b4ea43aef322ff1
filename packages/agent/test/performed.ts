import type { createEngine } from '../src/engine/engine.ts';
import * as confirm from '../src/turns/ends/confirm.ts';
import * as calls from '../src/turns/ends/resume-calls.ts';
import * as stop from '../src/turns/ends/stop.ts';
import * as runs from '../src/turns/runs/steer.ts';

// Turns whose effects the engine performs, as where they are called.

type Context = ReturnType<typeof createEngine>['ctx'];
type Rest<Turn> = Turn extends (ctx: never, ...rest: infer Given) => unknown ? Given : never;

/** False if the run has ended. */
export const steer = async (ctx: Context, ...given: Rest<typeof runs.steer>): Promise<boolean> => {
  const { isSteered, effects } = await runs.steer(ctx, ...given);
  await ctx.perform(effects);
  return isSteered;
};

export const stopThread = async (ctx: Context, ...given: Rest<typeof stop.stopThread>): Promise<void> =>
  ctx.perform(await stop.stopThread(ctx, ...given));

export const onMachineCall = async (
  ctx: Context,
  ...given: Rest<typeof calls.onMachineCall>
): Promise<void> => ctx.perform(await calls.onMachineCall(ctx, ...given));

export const confirmAsk = async (ctx: Context, ...given: Rest<typeof confirm.confirmAsk>): Promise<void> =>
  ctx.perform((await confirm.confirmAsk(ctx, ...given)).effects);
