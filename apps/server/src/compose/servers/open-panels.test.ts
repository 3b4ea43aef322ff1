import { systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../../../../../e2e/services.ts';
import { startRedis } from '../../../test/redis.ts';
import { createRedisBus } from '../../bus/index.ts';
import { createOpenPanels } from './open-panels.ts';

it('a server alone knows its own windows, as many as a user may have', async () => {
  const panels = createOpenPanels(2, null);
  const release = panels.acquire('ann');
  panels.acquire('ann')();
  expect([await panels.isOpen('ann'), await panels.isOpen('ben')]).toEqual([true, false]);
  panels.acquire('ann');
  expect(() => panels.acquire('ann')).toThrow(expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }));
  release();
  expect(await panels.isOpen('ann')).toBe(true);
});

describeWith('redis')('servers with a Redis', () => {
  it('know whether a panel is open at another one, and of their own where Redis is away', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.kill());
    const open = async () => {
      const needs = { url: redis.url, secret: 'one', clock: systemClock, echoMs: 200 };
      const bus = createRedisBus({ ...needs, onState: () => {}, onError: () => {} });
      onTestFinished(() => bus.close());
      expect(await bus.waitUntilUp(10_000)).toBe(true);
      return { bus, panels: createOpenPanels(2, bus) };
    };
    const [one, two] = [await open(), await open()];
    const releases = [two.panels.acquire('ann'), two.panels.acquire('ann')];
    await expect.poll(() => one.panels.isOpen('ann')).toBe(true);
    expect(await one.panels.isOpen('ben')).toBe(false);
    releases[0]?.();
    expect(await one.panels.isOpen('ann')).toBe(true);
    releases[1]?.();
    await expect.poll(() => one.panels.isOpen('ann')).toBe(false);
    two.panels.acquire('ann');
    await expect.poll(() => one.panels.isOpen('ann')).toBe(true);
    await redis.kill();
    await expect.poll(() => one.bus.isAway()).toBe(true);
    expect([await one.panels.isOpen('ann'), await two.panels.isOpen('ann')]).toEqual([false, true]);
  });
});
