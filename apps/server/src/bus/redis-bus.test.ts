import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { systemClock } from '@drawbridge/kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { describeWith } from '../../../../e2e/services.ts';
import { startRedis } from '../../test/redis.ts';
import { createLocalBus } from '../gateway/bus.ts';
import type { Bus, BusMessage } from '../gateway/index.ts';
import { createSealer } from '../secrets/index.ts';
import { createRedisBus, type RedisBus } from './index.ts';
import { sealEnvelope } from './envelope.ts';

const fail = (error: unknown) => {
  throw error;
};
/** How soon an outage is noticed here. */
const outageEchoMs = 200;

const changed = (userId: string): BusMessage => ({ type: 'machine-changed', userId });

/** What a subscriber has received so far. */
const collect = async (bus: Bus, topic: Parameters<Bus['subscribe']>[0]) => {
  const received: BusMessage[] = [];
  const { ready, stop } = bus.subscribe(topic, (message) => void received.push(message));
  await ready;
  return { received, stop };
};

/** What every bus does for its own server. */
const contract = (open: () => Promise<Bus>) => {
  it('delivers at once to the subscribers of a topic on this server, until they stop', async () => {
    const bus = await open();
    const ann = await collect(bus, 'user:ann');
    const again = await collect(bus, 'user:ann');
    const ben = await collect(bus, 'user:ben');
    bus.publish('user:ann', changed('ann'));
    again.stop();
    again.stop();
    bus.publish('user:ann', changed('ann'));
    expect([ann.received, again.received, ben.received]).toEqual([
      [changed('ann'), changed('ann')],
      [changed('ann')],
      [],
    ]);
  });

  it('delivers to the other subscribers when one throws', async () => {
    const bus = await open();
    bus.subscribe('all', () => {
      throw new Error('planted');
    });
    const other = await collect(bus, 'all');
    bus.publish('all', { type: 'switched' });
    expect(other.received).toEqual([{ type: 'switched' }]);
  });
};

describe('the bus of one server', () => {
  contract(async () => createLocalBus(() => {}));
});

describeWith('redis')('the bus of several servers', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.kill());

  const open = async (change: Partial<Parameters<typeof createRedisBus>[0]> = {}): Promise<RedisBus> => {
    const needs = { url: redis.url, secret: 'one', clock: systemClock, onState: () => {}, onError: () => {} };
    const bus = createRedisBus({ ...needs, echoMs: 5_000, ...change });
    onTestFinished(() => bus.close());
    expect(await bus.waitUntilUp(10_000)).toBe(true);
    return bus;
  };
  /** A message of `bus` that was sent after all that is checked, so that what is missing will not come. */
  const settled = async (from: Bus, to: Bus) => {
    const { received, stop } = await collect(to, 'user:last');
    from.publish('user:last', changed('last'));
    await expect.poll(() => received.length).toBe(1);
    stop();
  };

  contract(open);

  it('delivers between servers once, in the order of the sender', async () => {
    const [a, b] = [await open(), await open()];
    const [own, other] = [await collect(a, 'user:ann'), await collect(b, 'user:ann')];
    const sent = Array.from({ length: 50 }, (_, number): BusMessage => {
      return { type: 'call-stored', requestId: 'r1', rev: number };
    });
    for (const message of sent) a.publish('user:ann', message);
    await settled(a, b);
    await settled(a, a);
    expect([own.received, other.received]).toEqual([sent, sent]);
  });

  it('carries an echo the whole way, which Redis alone brings back', async () => {
    const bus = await open();
    const { received } = await collect(bus, `server:${bus.here}`);
    bus.publish(`server:${bus.here}`, { type: 'echo' });
    expect(received).toEqual([]);
    await expect.poll(() => received).toEqual([{ type: 'echo' }]);
  });

  it('delivers to one server what is for that server', async () => {
    const [a, b, c] = [await open(), await open(), await open()];
    const [atB, atC] = [await collect(b, `server:${b.here}`), await collect(c, `server:${c.here}`)];
    a.publish(`server:${b.here}`, { type: 'deliver-call', requestId: 'r1' });
    await settled(a, b);
    await settled(a, c);
    expect([atB.received, atC.received]).toEqual([[{ type: 'deliver-call', requestId: 'r1' }], []]);
  });

  it('ignores what was sealed with another secret, for another topic, without a seal, or long ago', async () => {
    const [a, b] = [await open(), await open()];
    const stranger = await open({ secret: 'two' });
    const { received } = await collect(b, 'user:ann');
    const raw = new Redis(redis.url);
    onTestFinished(() => raw.disconnect());
    const channels = (await raw.pubsub('CHANNELS', '*user:ann')) as string[];
    expect(channels).toHaveLength(1);
    const channel = channels[0] ?? '';
    const sealer = createSealer('one', 'drawbridge bus');
    const content = { from: 'x', kind: 'message', message: changed('ann') } as const;
    const seal = (topic: string, ageMs: number) =>
      sealEnvelope(sealer, topic, { ...content, sentAt: systemClock.now() - ageMs });
    stranger.publish('user:ann', changed('stranger'));
    for (const text of ['', '{}', seal('user:ben', 0), seal('user:ann', 31_000)])
      await raw.publish(channel, text);
    await raw.publish(channel, seal('user:ann', 20_000));
    await settled(a, b);
    expect(received).toEqual([changed('ann')]);
    expect(seal('user:ann', 0)).not.toContain('ann');
  });

  it.each([
    ['killed and started again', async () => (await redis.kill(), redis.start)],
    ['suspended and resumed', async () => (redis.suspend(), async () => void redis.resume())],
  ])(
    'Redis is %s: each server goes on alone, learns of the gap, and then reaches the others again',
    async (_, end) => {
      const states: boolean[] = [];
      const [a, b] = [
        await open({ onState: (isUp) => void states.push(isUp), echoMs: outageEchoMs }),
        await open({ onError: fail, echoMs: outageEchoMs }),
      ];
      const atB = await collect(b, 'user:ann');
      const atA = await collect(a, 'user:ann');
      const refresh = vi.fn();
      b.onGap(refresh);
      const restart = await end();
      await expect.poll(() => [a.isAway(), b.isAway()]).toEqual([true, true]);
      a.publish('user:ann', changed('ann'));
      expect(atA.received).toEqual([changed('ann')]);
      await restart();
      await expect.poll(() => [a.isAway(), b.isAway()]).toEqual([false, false]);
      await expect.poll(() => refresh.mock.calls.length).toBeGreaterThan(0);
      expect([states.slice(0, 2), states.at(-1)]).toEqual([[true, false], true]);
      await expect
        .poll(() => (a.publish('user:ann', changed('later')), atB.received.at(-1)))
        .toEqual(changed('later'));
      expect(a.lagMs()).toBeGreaterThanOrEqual(0);
    },
  );

  /** A relay before Redis, which `join` connects. */
  const openRelay = async (join: (socket: Socket, upstream: Socket) => void) => {
    const sockets = new Set<Socket>();
    const relay = createServer((socket) => {
      const upstream = connect(redis.port, '127.0.0.1');
      sockets
        .add(socket.on('error', () => upstream.destroy()))
        .add(upstream.on('error', () => socket.destroy()));
      join(socket, upstream);
    }).listen(0, '127.0.0.1');
    await once(relay, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      relay.close();
    });
    return { sockets, url: `redis://127.0.0.1:${(relay.address() as AddressInfo).port}` };
  };

  it('replaces a connection on which nothing arrives any more', async () => {
    const { sockets, url } = await openRelay((socket, upstream) => socket.pipe(upstream).pipe(socket));
    const bus = await open({ url, echoMs: outageEchoMs });
    for (const socket of sockets) socket.unpipe().pause();
    await expect.poll(() => bus.isAway()).toBe(true);
    await expect.poll(() => bus.isAway()).toBe(false);
  });

  it('is up at once where the connection that sends is the last one', async () => {
    const held: (() => void)[] = [];
    const { url } = await openRelay((socket, upstream) => {
      // The one that sends is opened first.
      if (held.length === 0) return held.push(() => socket.pipe(upstream).pipe(socket));
      socket.pipe(upstream).pipe(socket);
      upstream.on('data', (answer) => String(answer).includes(':echo:') && held[0]?.());
    });
    const states: boolean[] = [];
    await open({ url, echoMs: 3_600_000, onState: (isUp) => void states.push(isUp) });
    expect(states).toEqual([true]);
  });
});
