import { describe, expect, it } from 'vitest';
import { createTurns } from './turns.ts';

const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
};

describe('turns', () => {
  it('runs the jobs of a key one after the other, also behind one that failed', async () => {
    const turns = createTurns();
    const seen: string[] = [];
    const first = gate();
    const failed = turns.run('a', async () => {
      seen.push('first starts');
      await first.opened;
      seen.push('first fails');
      throw new Error('first');
    });
    const second = turns.run('a', async () => {
      seen.push('second');
      return 2;
    });
    const other = await turns.run('b', async () => seen.push('another key'));
    first.open();
    await expect(failed).rejects.toThrow('first');
    expect([await second, other]).toEqual([2, 2]);
    expect(seen).toEqual(['first starts', 'another key', 'first fails', 'second']);
  });

  it('settles when nothing runs, jobs that come meanwhile too', async () => {
    const turns = createTurns();
    const seen: string[] = [];
    const first = gate();
    void turns.run('a', async () => {
      await first.opened;
      void turns.run('b', async () => seen.push('later'));
    });
    const settled = turns.settled().then(() => seen.push('settled'));
    first.open();
    await settled;
    expect(seen).toEqual(['later', 'settled']);
  });
});
