import type { Clock } from '@drawbridge/kit';
import pg from 'pg';
import { connectionOf } from './connection-url.ts';

/** The key of the advisory lock that running servers have; migrations have another one. */
const key = 4_310_592_677_532;

const retryMs = 2_000;

interface Needs {
  url: string;
  /** The only server of its store excludes all others; several exclude one that knows of no others. */
  mode: 'alone' | 'several';
  clock: Clock;
  onError(error: unknown): void;
}

const sqlOf = {
  alone: 'select pg_try_advisory_lock($1) as "isOurs"',
  several: 'select pg_try_advisory_lock_shared($1) as "isOurs"',
} as const;

/**
 * The lock of a running server, on a connection of its own; null where another server excludes it. A lost
 * connection is made again: what another server then has is reported to `onError`.
 */
export const lockServers = async (needs: Needs): Promise<(() => Promise<void>) | null> => {
  const { url, mode, clock, onError } = needs;
  let client: pg.Client | null = null;
  let stopWaiting = () => {};
  let isReleased = false;

  const lock = async (): Promise<boolean> => {
    const opened = new pg.Client({ ...connectionOf(url).connection, keepAlive: true });
    opened.on('error', () => {});
    await opened.connect();
    const { rows } = await opened.query<{ isOurs: boolean }>(sqlOf[mode], [key]);
    if (rows[0]?.isOurs !== true || isReleased) {
      await opened.end();
      return false;
    }
    client = opened;
    opened.on('end', again);
    return true;
  };
  const again = () => {
    if (isReleased) return;
    stopWaiting = clock.after(retryMs, () => {
      lock().then(
        (isOurs) => {
          if (isOurs || isReleased) return;
          onError(new Error('Another server uses this store now: stop one of them'));
          again();
        },
        () => again(),
      );
    });
  };

  if (!(await lock())) return null;
  return async () => {
    isReleased = true;
    stopWaiting();
    await client?.end();
  };
};
