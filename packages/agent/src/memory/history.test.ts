import { expect, it } from 'vitest';
import { call, memoryFixture, message, note, step } from '../../test/memory-fixture.ts';
import { insert, update } from '../rows/store.ts';
import { nextSeqOf, readHistory } from './history.ts';

const id = { threadId: 't', history: 'main' };

it('read on from the step before is the whole history, also behind new notes', async () => {
  const { ctx } = memoryFixture({
    agentMessages: [message('a', 1), step('a', 2), step('a', 3)],
    agentToolCalls: [call('a', 'tc_2'), call('a', 'tc_3', { state: 'waiting', outcome: null, result: null })],
  });
  const { store } = ctx;
  const known = await readHistory('a', id, store);
  await store.commit(
    [
      update('agentToolCalls', { userId: 'a', id: 'tc_3' }, { state: 'ended', outcome: 'ok', result: [] }),
      insert('agentMessages', step('a', 4)),
      insert('agentToolCalls', call('a', 'tc_4')),
      insert('agentNotes', note('a', 1, { upToSeq: 2 })),
    ],
    'kept',
  );
  const whole = await readHistory('a', id, store);
  expect(await readHistory('a', { ...id, known }, store)).toEqual(whole);
  expect(whole.messages.map(({ seq }) => seq)).toEqual([3, 4]);
  expect([nextSeqOf(whole), nextSeqOf({ ...whole, messages: [] })]).toEqual([5, 3]);
});
