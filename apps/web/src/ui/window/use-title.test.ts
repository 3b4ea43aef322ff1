import { expect, it } from 'vitest';
import { effectScope, nextTick, ref } from 'vue';
import { useTitle } from './use-title.ts';

it('counts what waits in the title of the document', async () => {
  const waiting = ref(0);
  const page = ref<string | undefined>('Tools');
  const scope = effectScope();
  scope.run(() =>
    useTitle(
      () => waiting.value,
      () => page.value,
    ),
  );
  const titles = [document.title];
  for (const [count, name] of [
    [2, 'Tools'],
    [1, 'Machine'],
    [0, undefined],
  ] as const) {
    waiting.value = count;
    page.value = name;
    await nextTick();
    titles.push(document.title);
  }
  scope.stop();
  expect(titles).toEqual([
    'Tools · Drawbridge',
    '(2) Tools · Drawbridge',
    '(1) Machine · Drawbridge',
    'Drawbridge',
  ]);
});
