import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { computed, defineComponent, h, nextTick, ref } from 'vue';
import { setBench } from '../../../../test/mounting.ts';
import { provideSelecting, type Selecting } from '../../confirmations/input/use-selecting.ts';
import { provideAsking } from '../chat-context.ts';
import AskCard from './ask-card.vue';

it('a question of the agent says who asks and when, and shows what its title asks only there', async () => {
  const { global, clock, close } = await setBench();
  const ask = {
    ...{ requestId: 'ask_1', toolCallId: 'tc1', toolName: 'ask-user', args: {}, severity: 'info' as const },
    ...{ message: 'Which feeds?', inputType: 'questions' as const },
    ...{ at: clock.now() - 120_000, expiresAt: new Date(clock.now() + 86_400_000).toISOString() },
    questions: ['Which feeds?', 'Why?'].map((question) => ({
      id: question,
      question,
      type: 'text' as const,
    })),
  };
  const selecting = ref<Selecting>(null);
  const page = defineComponent(() => {
    provideSelecting(selecting);
    provideAsking({ asks: computed(() => [ask]), confirm: async () => null });
    return () => h(AskCard, { ask, asker: 'Writer' });
  });
  const wrapper = mount(page, { global, attachTo: document.body });
  const facts = wrapper.get('[data-test=ask-facts]');
  expect(facts.text().replaceAll(/\s+/g, ' ')).toBe('Writer · asked 2 min ago · expires in 1 d');
  const legends = wrapper.findAll('legend').map((one) => [one.text(), one.classes('sr-only')]);
  expect(legends).toEqual([
    ['Which feeds?', true],
    ['Why?', false],
  ]);
  // While questions are selected, it takes no answer either; what was typed stays.
  await wrapper.get('textarea').setValue('All');
  const shown = () => [
    wrapper.find('[data-test=selecting-now]').exists(),
    wrapper.find('[inert] form').exists(),
  ];
  expect(shown()).toEqual([false, false]);
  selecting.value = 'others';
  await nextTick();
  expect(shown()).toEqual([true, true]);
  selecting.value = null;
  await nextTick();
  expect([...shown(), wrapper.get('textarea').element.value]).toEqual([false, false, 'All']);
  wrapper.unmount();
  await close();
});
