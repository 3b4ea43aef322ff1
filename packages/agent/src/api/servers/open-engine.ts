import { resumeAnswered } from '../../engine/attend.ts';
import { type Driving } from '../../engine/driving.ts';
import { createEngine } from '../../engine/engine.ts';
import { markPaused, recover } from '../../engine/recover.ts';
import { sweep } from '../../engine/sweep.ts';
import type { AgentNeeds } from '../../ports/needs.ts';
import type { TurnReport } from '../../ports/machine.ts';
import type { AgentServers } from '../../ports/servers.ts';
import type { ThreadKey } from '../../rows/keys.ts';
import { openCallStates } from '../../rows/states.ts';
import { onTurn, turnCallOf } from '../../turns/runtimes/on-turn.ts';
import { onMachineCall } from '../../turns/ends/resume-calls.ts';
import { ownCommands } from '../lanes/at-driver.ts';
import { createServerCommands } from './commands.ts';

/** The engine of the only server of a store. */
const openAlone = (needs: AgentNeeds) => {
  const engine = createEngine(needs);
  const { ctx } = engine;
  return {
    ...engine,
    commands: ownCommands,
    onMachineCall: async (userId: string, requestId: string) =>
      ctx.perform(await onMachineCall(ctx, userId, requestId)),
    onTurn: (report: TurnReport) => onTurn(ctx, report),
    sweep: () => sweep(ctx),
    start: () => recover(ctx),
    leave: () => markPaused(ctx),
  };
};

const sweepLease = 'agent-sweep';

interface Among {
  servers: AgentServers;
  /** The texts that are being written here go to readers elsewhere. */
  publishPartial(key: ThreadKey): void;
}

/** The engine of one server of several: it works on the threads that it drives. */
const openAmong = (needs: AgentNeeds, { servers, publishPartial }: Among) => {
  const engine = createEngine(needs, {
    onAttended: (held) => commands.serve(held),
    onLost: (key) => commands.onLost(key),
  });
  const { ctx, runner } = engine;
  const { onError } = ctx;
  // An engine of several servers has it.
  const driving = engine.driving as Driving;
  const commands = createServerCommands({
    ...ctx,
    servers,
    requests: () => engine.requests,
    notify: driving.notify,
  });
  const stops: (() => void)[] = [];
  return {
    ...engine,
    commands: commands.commands,
    /** Whose turn it is to ask the person again, its driver decides. */
    onMachineCall: async (userId: string, requestId: string) => {
      const [call] = await ctx.store.find('agentToolCalls', { userId, requestId, state: openCallStates });
      const own = call && driving.of(call)?.ctx;
      if (own) await own.perform(await onMachineCall(own, userId, requestId));
    },
    /** The server that the machine posts to stores it: each event counts once, also there. */
    onTurn: async (report: TurnReport) => {
      const call = await turnCallOf(ctx, report);
      return onTurn((call && driving.of(call)?.ctx) ?? ctx, report);
    },
    sweep: async () =>
      sweep(ctx, {
        isOwn: (key) => driving.of(key) !== undefined,
        isFirst: await servers.lease(sweepLease),
      }),
    start: () => {
      stops.push(
        commands.stop,
        servers.subscribe({
          onWoken: (key) => void driving.woken(key).catch(onError),
          onReply: commands.onReply,
          onPartialWanted: publishPartial,
          onLost: driving.loseAll,
          onRound: async () => {
            await driving.round();
            resumeAnswered(ctx, driving.of).catch(onError);
            runner.offerSlots();
          },
        }),
      );
      return Promise.resolve();
    },
    leave: async () => {
      for (const stop of stops.splice(0)) stop();
      await markPaused(ctx, (key) => driving.of(key) !== undefined);
      await servers.releaseAll();
    },
  };
};

export const openEngine = (needs: AgentNeeds, { publishPartial }: Pick<Among, 'publishPartial'>) =>
  needs.servers ? openAmong(needs, { servers: needs.servers, publishPartial }) : openAlone(needs);
