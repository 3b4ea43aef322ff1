import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFakeClock } from '@drawbridge/kit';
import { expect, it } from 'vitest';
import type { Verdict } from '../../src/tools/runtimes/driver.ts';
import type { openWith } from './driver-fixture.ts';
import { makeFolders } from './tool-fixture.ts';

type Open = ReturnType<typeof openWith>;

/** What every driver does with a turn that is stopped. */
export const stopTurns = async (open: Open): Promise<void> => {
  const writing = await open();
  const waiting = await writing.turn('RETRY', 'WAIT');
  await waiting.said;
  writing.stop();
  expect(await waiting.end).toMatchObject({ stopReason: 'cancelled' });

  const withdrawn = Promise.withResolvers<Verdict>();
  const asking = await open({ verdict: () => withdrawn.promise });
  const asked = await asking.turn('RUN touch late.txt', 'WAIT');
  await asked.said;
  asking.stop();
  withdrawn.resolve({ withdrawn: true });
  expect(await asked.end).toMatchObject({ stopReason: 'cancelled' });
  expect(existsSync(join(asking.root, 'late.txt'))).toBe(false);

  const clock = createFakeClock();
  const stuck = await open({ clock });
  const { end, said } = await stuck.turn('SAY hi', 'STUCK');
  await said;
  stuck.stop();
  await clock.settle(1_000);
  await expect(end).rejects.toMatchObject({ code: 'RUNTIME_FAILED' });
};

/** What it says of a program that fails, and of one that no longer has the conversation. */
export const testFailures = (open: Open): void => {
  it('says that it has lost a conversation', async () => {
    const { root } = makeFolders();
    writeFileSync(join(root, 'forgets'), '');
    await expect(open({ root, resume: 's1' })).rejects.toMatchObject({ code: 'RUNTIME_SESSION_LOST' });
  });

  it.each([
    ['SIGNEDOUT', 'RUNTIME_SIGN_IN', '401'],
    ['FAIL', 'RUNTIME_FAILED', 'the model is gone'],
    ['DIE', 'RUNTIME_FAILED', 'exit code 3'],
  ])('says why it ended: %s', async (step, code, message) => {
    const { turn } = await open();
    const { end } = await turn(step);
    await expect(end).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });
};
