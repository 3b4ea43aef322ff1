import { describe, expect, it } from 'vitest';
import { queueRow } from '../../../test/rows.ts';
import type { QueueRow } from '../../rows/rows.ts';
import { agentLimits } from '../../rows/limits.ts';
import { refuseTooManyWaiting } from './apply.ts';

const megabyte = 1024 * 1024;

const message = (id: string, ...sizes: number[]): QueueRow =>
  queueRow('ann', id, {
    files: sizes.map((bytes, at) => ({
      id: `file_${at}`,
      name: 'a.png',
      mediaType: 'image/png',
      bytes,
    })),
  });

/** The outcome for a message that has to wait beside these. */
const arrives = async (row: QueueRow, waiting: QueueRow[]): Promise<string> => {
  const asked: unknown[] = [];
  const store = { find: async (_table: string, where: unknown) => (asked.push(where), waiting) };
  const planned = { arrival: { row }, effects: [{ type: 'wait', item: { id: row.id } }] };
  try {
    await refuseTooManyWaiting({ store } as never, planned as never);
    expect(asked).toEqual([{ userId: 'ann' }]);
    return 'waits';
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('messages that wait', () => {
  it.each([
    ['the first', message('new', megabyte), [], 'waits'],
    ['up to 64 MiB', message('new', 4 * megabyte), [message('a', 30 * megabyte, 30 * megabyte)], 'waits'],
    ['beyond', message('new', 4 * megabyte + 1), [message('a', 60 * megabyte)], 'TOO_LARGE'],
    [
      'of several messages',
      message('new', 1),
      [message('a', 32 * megabyte), message('b', 32 * megabyte)],
      'TOO_LARGE',
    ],
    ['without attachments', message('new'), [message('a', 64 * megabyte)], 'waits'],
  ])('have attachments: %s', async (_, row, waiting, outcome) => {
    expect(await arrives(row, waiting)).toBe(outcome);
  });

  it('are 200 of one user', async () => {
    const all = Array.from({ length: agentLimits.waitingPerUser }, (_, at) => message(`m${at}`));
    expect(await arrives(message('new'), all.slice(1))).toBe('waits');
    expect(await arrives(message('new'), all)).toBe('QUEUE_FULL');
  });
});
