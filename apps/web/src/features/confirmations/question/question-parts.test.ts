import { createFakeClock } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { expect, it } from 'vitest';
import { nextTick } from 'vue';
import { onClock } from '../../../../test/mounting.ts';
import { confirmationOf } from '../../../../test/worlds.ts';
import QuestionCard from './question-card.vue';
import { iconOf } from './question-facts.ts';

const clock = createFakeClock();
const show = (change: Parameters<typeof confirmationOf>[0] = {}) =>
  mount(QuestionCard, {
    attachTo: document.body,
    props: {
      confirmation: confirmationOf(change),
      before: '',
      host: null,
      failure: undefined,
      decide: async () => {},
    },
    global: onClock(clock),
  });
const openMore = (card: ReturnType<typeof show>) => card.find('[data-test=more]').trigger('click');

it('Escape closes the menu and the reason, as Cancel does, and the question has the focus again', async () => {
  const card = show();
  clock.advance(500);
  await nextTick();
  await openMore(card);
  await card.find('[data-test=more]').trigger('keydown', { key: 'Escape' });
  expect(card.find('[data-test=lasting]').exists()).toBe(false);
  await card.find('article').trigger('keydown', { key: 'r' });
  await card.find('[data-test=reason]').trigger('keydown', { key: 'Escape' });
  expect(card.find('[data-test=reason]').exists()).toBe(false);
  await card.find('article').trigger('keydown', { key: 'r' });
  // Deny is the first of the buttons meanwhile.
  const first = () =>
    card.findAll('[data-decision].bg-primary').map((one) => one.attributes('data-decision'));
  expect(first()).toEqual(['denyOnce']);
  await card.get('[data-test=cancel-reason]').trigger('click');
  expect(first()).toEqual(['allowOnce']);
  expect(card.find('[data-test=reason]').exists()).toBe(false);
  expect(document.activeElement).toBe(card.find('article').element);
  await openMore(card);
  document.body.dispatchEvent(new Event('pointerdown', { bubbles: true }));
  await nextTick();
  expect(card.find('[data-test=lasting]').exists()).toBe(false);
  card.unmount();
});

it('RC-06 for one agent: shown first, in the place of those for all, with who it is', async () => {
  const caller = '"Claude \u202eCode" (access token)';
  const lasting = ['allowForSession', 'alwaysAllow', 'alwaysDeny'];
  const reaches = [
    { id: 'exact', scope: 'exact', label: 'change or delete ~/notes/a.txt', decisions: lasting },
    {
      id: 'folder',
      scope: 'folder',
      label: 'change or delete files in ~/notes and below',
      decisions: lasting,
    },
  ];
  const decided: unknown[] = [];
  const forOne = reaches.map((reach) => ({
    ...reach,
    id: `${reach.id}-caller`,
    scope: `${reach.scope}-caller`,
    label: `${reach.label}, only for ${caller}`,
    caller,
  }));
  const card = show({ reaches: [...reaches, ...forOne] });
  await card.setProps({ decide: async (choice: unknown) => void decided.push(choice) });
  await openMore(card);
  expect(card.find('[data-test=for-one]').attributes('aria-pressed')).toBe('true');
  const areForOne = () =>
    new Set(card.findAll('[data-reach]').map((one) => one.attributes('data-reach')?.endsWith('-caller')));
  expect(areForOne()).toEqual(new Set([true]));
  await card.find('[data-test=for-all]').trigger('click');
  expect(areForOne()).toEqual(new Set([false]));
  await card.find('[data-test=for-one]').trigger('click');
  const seen = '"Claude \\u{202e}Code" (access token)';
  expect(card.findAll('[data-scope]').map((label) => label.text())).toEqual([
    `Allow only ${seen} to change or delete ~/notes/a.txt`,
    `Allow only ${seen} to change or delete files in ~/notes and below`,
  ]);
  expect(card.find('[data-decision=alwaysDeny]').text()).toContain(
    `Never allow this for ${seen}: change or delete`,
  );
  clock.advance(500);
  await nextTick();
  await card.find('[data-decision=alwaysAllow][data-reach=folder-caller]').trigger('click');
  expect(decided).toEqual([{ decision: 'alwaysAllow', reach: 'folder-caller' }]);
  card.unmount();
});

it('shows all of a text of which the preview leaves something out', async () => {
  const content = `first ${'x'.repeat(5_000)} last`;
  const card = show({
    arguments: { filePath: 'a.txt', content },
    preview: {
      kind: 'text',
      of: 'content',
      path: 'a.txt',
      text: 'first',
      omitted: { lines: 0, bytes: 5_000 },
    },
  });
  expect(card.text()).not.toContain(' last');
  await card.find('[data-test=show-all]').trigger('click');
  await expect.poll(() => card.find('footer [data-test=text]').exists()).toBe(true);
  expect(card.find('footer [data-test=text]').text()).toBe(content);
  card.unmount();
});

it.each([
  ['write_file', 'Write new file: /a', 'i-lucide-file-plus'],
  ['write_file', 'Replace file: /a', 'i-lucide-file-pen'],
  ['edit_file', 'Change file: /a', 'i-lucide-pencil'],
  ['move', 'Move: /a', 'i-lucide-arrow-right'],
  ['delete', 'Delete: /a', 'i-lucide-trash-2'],
])('%s (%s) has an icon of its own', (tool, description, icon) => {
  expect(iconOf({ tool, description, toolGroup: 'filesystemWrite' })).toBe(icon);
});
