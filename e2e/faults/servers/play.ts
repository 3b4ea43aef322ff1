import { sleep, systemClock } from '@drawbridge/kit';
import { until } from '../../harness/index.ts';
import type { History } from '../history.ts';
import { findWrongRows, type Store } from '../rows.ts';
import type { PlannedTakeover, ServersFault } from './plan.ts';
import type { Servers, Shared } from './start-servers.ts';

interface Needs {
  servers: Pick<Servers, 'all' | 'store' | 'shared'>;
  history: History;
  /** Leaves the work out while something else is done to that target. */
  whileFree(target: string, work: () => Promise<void>): Promise<void>;
}

/** Notes what is wrong among the rows of the agent; waits for a store that is away. */
const noteWrongRows = async (store: Store, history: History) => {
  const found = await until(() => findWrongRows(store).catch(() => null));
  for (const { rule, row } of found) history.note({ type: 'wrong-row', rule, row: JSON.stringify(row) });
};

type OtherFault = Exclude<ServersFault, PlannedTakeover>;

const disturbShared = async (
  { redis, postgres, cut }: Shared,
  step: Exclude<OtherFault, { kind: 'server' }>,
): Promise<void> => {
  const { kind, forMs } = step;
  if (kind === 'redis' && step.fault === 'kill') {
    await redis.kill();
    await sleep(systemClock, forMs);
    return redis.start();
  }
  if (kind === 'redis') {
    redis.suspend();
    await sleep(systemClock, forMs);
    return redis.resume();
  }
  if (kind === 'postgres' && step.fault === 'crash') return postgres.crash();
  const end = kind === 'postgres' ? postgres.stop() : cut(step.server, step.fault);
  await sleep(systemClock, forMs);
  end();
};

/** Plays what happens to the servers and to what they share. */
export const createServersPlayer =
  ({ servers, history, whileFree }: Needs) =>
  async (step: OtherFault): Promise<void> => {
    const { kind, forMs } = step;
    const fault = (what: string) => history.note({ type: 'fault', what, user: null, forMs });
    if (kind !== 'server') {
      const { shared } = servers;
      if (shared === null) throw new Error(`one server shares no ${kind}`);
      const target = kind === 'cut' ? `${kind} ${step.fault} ${step.server}` : kind;
      return whileFree(target, () => {
        fault(`${kind} ${step.fault}`);
        return disturbShared(shared, step);
      });
    }
    const server = servers.all[step.server];
    if (!server) throw new Error(`no server ${step.server}`);
    return whileFree(server.name, async () => {
      fault(`server ${step.fault}`);
      if (step.fault === 'kill') return server.kill(forMs, () => noteWrongRows(servers.store, history));
      if (step.fault === 'drain') return server.drain(forMs);
      const release = server.hold();
      await sleep(systemClock, forMs);
      release();
    });
  };
