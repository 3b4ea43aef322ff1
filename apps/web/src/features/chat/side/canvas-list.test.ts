import { mount, type VueWrapper } from '@vue/test-utils';
import { afterEach, expect, it, vi } from 'vitest';
import { agentWorldOf, emptySnapshot } from '../../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../../test/mounting.ts';
import ChatThread from '../chat-thread.vue';

let bench: Bench;
let wrapper: VueWrapper;
afterEach(async () => {
  wrapper.unmount();
  await bench.close();
  vi.restoreAllMocks();
});

const wide = (media: string) =>
  // What `useMediaQuery` reads of it.
  Object.assign(new EventTarget(), { matches: true, media }) as MediaQueryList;
const document = { title: null, metadata: null, rev: 1, createdAt: '', updatedAt: '' };
const markdown = '# Plan\n<img src=x onerror=alert(1)>[link](javascript:alert(1))';

it('shows the documents of a chat: a note as formatted text without HTML, the others as JSON', async () => {
  vi.spyOn(window, 'matchMedia').mockImplementation(wide);
  bench = await setBench({
    agent: agentWorldOf({
      snapshot: { ...emptySnapshot(), now: { ...emptySnapshot().now, canvasRev: 1 } },
      artifacts: [
        { ...document, artifactId: 'summary', type: 'note', content: { markdown } },
        { ...document, artifactId: 'data', type: 'chart', content: { markdown: '<b>1</b>' } },
      ],
    }),
  });
  wrapper = mount(ChatThread, {
    props: { threadId: 'th_1', isNew: false },
    global: bench.global,
    attachTo: window.document.body,
  });
  const find = (name: string) => wrapper.find(`[data-test=${name}]`);
  await expect.poll(() => find('canvas').exists()).toBe(true);
  const buttons = find('canvas').findAll('button');
  expect(buttons.map((button) => button.text())).toEqual(['summary', 'data']);
  await buttons[0]?.trigger('click');
  await expect.poll(() => find('artifact').exists()).toBe(true);
  expect(find('artifact').find('[data-test=markdown]').text()).toContain('Plan');
  expect(find('artifact').findAll('img, a[href^=javascript]')).toEqual([]);
  await buttons[1]?.trigger('click');
  await expect.poll(() => find('artifact').find('pre').exists()).toBe(true);
  expect(find('artifact').find('pre').text()).toContain('"markdown": "<b>1</b>"');
});
