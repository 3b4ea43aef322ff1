import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { nextTick } from 'vue';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { offline, online } from '../../../test/worlds.ts';
import { useGatewayStore } from '../gateway/use-gateway-store.ts';
import ProblemBanner from './problem-banner.vue';

let bench: Bench;
afterEach(() => bench.close());

it('says that a key was revoked, until a machine is connected again', async () => {
  bench = await setBench();
  const wrapper = mount(ProblemBanner, { global: bench.global });
  const problem = () => wrapper.find('[data-test=problem]');
  const store = useGatewayStore();
  const emit = async (payload: typeof offline) => {
    store.onState({ type: 'instanceAiGatewayStateChanged', payload });
    await nextTick();
  };
  expect(problem().exists()).toBe(false);
  await emit({ ...offline, problem: 'flapping' });
  expect(problem().text()).toContain('Two processes used the same key');
  await emit(online);
  expect(problem().exists()).toBe(false);
});
