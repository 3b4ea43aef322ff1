import { systemClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import { openChannelFaults } from './channels-faults.ts';

const forMs = Number(process.env['CHANNEL_FAULTS_MS'] ?? 30_000);
const seed = Number(process.env['CHANNEL_FAULTS_SEED'] ?? 1);
/** `cursor`: the stored position is lost at each kill, which has to make the run red. */
const plant = process.env['CHANNEL_FAULTS_PLANT'] ?? null;

it(
  `CH-36 Telegram asked and iMessage posting, with kills and faults of both for ${forMs} ms, seed ${seed}`,
  async () => {
    const faults = await openChannelFaults(seed, plant);
    const endsAt = systemClock.now() + forMs;
    await Promise.all([faults.write(endsAt), faults.breakThings(endsAt)]);
    await expect.poll(faults.missing, { timeout: 120_000, interval: 1_000 }).toEqual([]);
    const { runs, twice, behind } = await faults.check();
    const { written, counts } = faults;
    console.info({ written: written.length, ...counts, twice, behind: behind.length });
    expect(behind).toEqual([]);
    // Each message is in its chat once: it had one run.
    expect(runs.toSorted()).toEqual(written.toSorted());
    // Of each platform at most the one that was being sent.
    expect(twice).toBeLessThanOrEqual(2 * (counts.kills + counts.fullDisk));
  },
  forMs + 240_000,
);
