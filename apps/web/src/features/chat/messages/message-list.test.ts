import { expect, it } from 'vitest';
import { agentWorldOf, emptySnapshot } from '../../../../test/fixture-agent.ts';
import { messageEvents, openChat } from '../../../../test/chat.ts';
import { setBench } from '../../../../test/mounting.ts';

it('a message that is asked again is one line, which opens', async () => {
  const bench = await setBench({ agent: agentWorldOf({ snapshot: emptySnapshot() }) });
  const wrapper = await openChat(bench);
  const question = 'Which of these?\none\ntwo';
  const texts = [question, question, 'And this?'];
  const events = texts.flatMap((text, at) => messageEvents(text, 1 + 10 * at));
  for (const [at, event] of events.entries()) bench.fixture.frame({ type: 'event', id: at + 1, event });
  const own = () => wrapper.findAll('[data-role=user]');
  await expect.poll(() => own().length).toBe(3);
  const repeats = own().map((one) => one.find('[data-test=repeat]'));
  expect(repeats.map((one) => one.exists())).toEqual([false, true, false]);
  expect(repeats[1]?.get('summary').text()).toBe('Asked again: Which of these?');
  expect(repeats[1]?.attributes('open')).toBeUndefined();
  expect(repeats[1]?.text()).toContain(question);
  wrapper.unmount();
  await bench.close();
});
