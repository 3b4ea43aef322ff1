import { appendFileSync } from 'node:fs';
import { sleep, systemClock } from '@drawbridge/kit';
import { until, type Server } from '../../harness/index.ts';
import type { History } from '../history.ts';

/** One server that is kept running. */
export interface KeptServer {
  /** How the history calls it. */
  name: string;
  pid(): number;
  /** Holds the process still; the returned function ends that. */
  hold(): () => void;
  /** Kills it, looks at what is left, and starts it again after `forMs`. */
  kill(forMs: number, look: () => Promise<void>): Promise<void>;
  /** Asks it to leave, and starts it again `forMs` after its end. */
  drain(forMs: number): Promise<void>;
  /** It stays ended. */
  end(): Promise<void>;
}

interface Needs {
  server: Server;
  name: string;
  history: History;
  /** Gets all that its processes have written. */
  logFile: string;
}

export const drainSeconds = 6;
/** Its own bounds, and a machine that does other things too. */
const longestDrainMs = (drainSeconds + 20) * 1_000;

export const keepServer = ({ server, name, history, logFile }: Needs): KeptServer => {
  /** Somebody ends it. */
  let mayEnd = false;

  const ended = (how: string) => history.note({ type: 'server-ended', server: name, how });

  const watch = () => {
    history.note({ type: 'server-ready' });
    const running = server.process();
    void running.exit.then(async ({ code, signal }) => {
      appendFileSync(logFile, running.output());
      if (mayEnd) return;
      ended(`code ${code}, ${signal}: ${running.output().slice(-2_000)}`);
      await start();
    });
  };
  const start = async () => {
    // What it needs may be away: then it ends, and is started again.
    await until(() =>
      server.restart().then(
        () => true,
        () => false,
      ),
    );
    mayEnd = false;
    watch();
  };
  const leave = async () => {
    mayEnd = true;
    const exit = await Promise.race([server.end('SIGTERM'), sleep(systemClock, longestDrainMs)]);
    if (exit?.code === 0) return;
    ended(exit ? `code ${exit.code} after SIGTERM` : 'not after SIGTERM');
    await server.end('SIGKILL');
  };
  watch();

  return {
    name,
    pid: () => server.process().pid,
    hold: () => {
      const held = server.process();
      held.signal('SIGSTOP');
      return () => held.signal('SIGCONT');
    },
    kill: async (forMs, look) => {
      mayEnd = true;
      await server.end('SIGKILL');
      await look();
      await sleep(systemClock, forMs);
      await start();
    },
    drain: async (forMs) => {
      await leave();
      await sleep(systemClock, forMs);
      await start();
    },
    end: leave,
  };
};
