import { createFakeClock, nextMacrotask } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { startServer } from '../../test/server.ts';
import { openTestStore } from '../../test/store-place.ts';
import { startSweep } from './sweep.ts';

const dayMs = 24 * 60 * 60 * 1_000;

describe('PS-12 what is old is looked for', () => {
  it('at the start and each day, one job after the other, also after one that failed', async () => {
    const clock = createFakeClock();
    const ran: string[] = [];
    const errors: unknown[] = [];
    const { stop } = startSweep({
      clock,
      jobs: [
        async () => {
          ran.push('first');
          throw new Error('no');
        },
        async () => void ran.push('second'),
      ],
      onError: (error) => void errors.push(error),
    });
    await clock.settle(dayMs - 1);
    expect(ran).toEqual(['first', 'second']);
    await clock.settle(1);
    expect(ran).toEqual(['first', 'second', 'first', 'second']);
    expect(errors).toEqual([new Error('no'), new Error('no')]);
    await stop();
    await clock.settle(dayMs);
    expect(ran).toHaveLength(4);
  });

  it('not twice at once, and no more when the server stops', async () => {
    const clock = createFakeClock();
    const signals: AbortSignal[] = [];
    let over = false;
    const errors: unknown[] = [];
    const { stop } = startSweep({
      clock,
      jobs: [
        (signal) =>
          new Promise((_, reject) => {
            signals.push(signal);
            const end = () => {
              over = true;
              reject(new Error('stopped'));
            };
            signal.addEventListener('abort', () => void nextMacrotask().then(end));
          }),
      ],
      onError: (error) => void errors.push(error),
    });
    await clock.settle(3 * dayMs);
    expect(signals).toHaveLength(1);
    await stop();
    expect({ over, errors, waiting: clock.waiting() }).toEqual({ over: true, errors: [], waiting: 0 });
  });

  it('by a server that has opened its port', async () => {
    const clock = createFakeClock();
    const server = await startServer({ clock });
    const { db, close } = await openTestStore(server.dataDir);
    const key = { kind: 'pairing', userId: 'ada', createdAt: 1, expiresAt: clock.now() + dayMs } as const;
    await db
      .insertInto('gatewayKeys')
      .values({
        ...key,
        digest: 'x',
        machineId: null,
        makesDefault: 0,
        lastUsedAt: null,
        usedAt: null,
        revokedAt: null,
      })
      .execute();
    const left = () => db.selectFrom('gatewayKeys').select('digest').execute();
    expect(await left()).toHaveLength(1);
    // The run of the start may not be over yet.
    const leftTheNextDay = () => {
      clock.jump(dayMs);
      return left();
    };
    await expect.poll(leftTheNextDay).toEqual([]);
    await close();
    await server.app.close();
    expect(server.log.join('')).toContain('deleted expired and revoked keys');
  });
});
