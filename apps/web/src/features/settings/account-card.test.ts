import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { flushPromises, mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { startFixture } from '../../../test/fixture-server.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { worldOf } from '../../../test/worlds.ts';
import { useServerStore } from '../session/use-server-store.ts';
import { useSessionStore } from '../session/use-session-store.ts';
import AccountCard from './account-card.vue';

const current = 'a long password';
const next = 'another long password';

let bench: Bench;
let close = async () => {};
afterEach(async () => {
  await close();
  await bench.close();
});

const until = async (there: () => unknown) => {
  while (!there()) await flushPromises();
};
const input = (name: string) => document.querySelector<HTMLInputElement>(`input[name=${name}]`);
const type = async (values: Record<string, string>) => {
  for (const [name, value] of Object.entries(values)) {
    const field = input(name);
    if (field) field.value = value;
    field?.dispatchEvent(new Event('input'));
  }
  await flushPromises();
};
const press = (label: string) => {
  const found = [...document.querySelectorAll('button')].findLast((one) => one.textContent?.trim() === label);
  if (!found) throw new Error(`No button: ${label}`);
  found.click();
};
/** What is said at the fields that something is wrong with. */
const said = () =>
  Object.fromEntries(
    [...document.querySelectorAll<HTMLInputElement>('input[aria-invalid=true]')].map((field) => [
      field.name,
      field
        .getAttribute('aria-describedby')
        ?.split(' ')
        .map((id) => document.getElementById(id)?.textContent?.trim())
        .join(' ')
        .trim(),
    ]),
  );

/** The card with its dialog open, before a server that refuses the first change with `status`, if any. */
const open = async (status = 200) => {
  const sent: unknown[] = [];
  const statuses = [status];
  const take = async (request: IncomingMessage) => {
    sent.push([request.method, request.url, JSON.parse(await text(request))]);
    return statuses.shift() ?? 200;
  };
  const accounts = await startFixture(worldOf(), {
    fallback: (request, response) => {
      void take(request).then((code) => response.writeHead(code).end('{"sessionProof":"dbp_next"}'));
    },
  });
  // The endpoints of the accounts are below the page's own origin.
  location.href = accounts.origin;
  bench = await setBench();
  await useSessionStore().load();
  const card = mount(AccountCard, { global: bench.global, attachTo: document.body });
  close = async () => {
    card.unmount();
    await accounts.close();
  };
  press('Change password');
  await until(() => input('current'));
  return { card, sent };
};
const request = (currentPassword: string, revokeOtherSessions: boolean) => [
  'POST',
  '/api/auth/change-password',
  { currentPassword, newPassword: next, revokeOtherSessions },
];

it('sends nothing before all is right, and says what is wrong where it is wrong', async () => {
  const { sent } = await open();
  press('Change password');
  await until(() => document.activeElement === input('current'));
  expect(said()).toEqual({ current: 'Enter your current password', next: 'Use at least 10 characters' });
  await type({ current, next, again: 'another' });
  expect(said()).toEqual({ again: 'The passwords do not match' });
  press('Change password');
  await until(() => document.activeElement === input('again'));
  // While the server is away, nothing of it can be sent.
  useServerStore().away = true;
  await flushPromises();
  const inactive = [...document.querySelectorAll('button:disabled')].map((one) => one.textContent.trim());
  expect(inactive).toEqual(['Sign out', 'Change password']);
  expect(sent).toEqual([]);
});

it.each([
  ['and signs out everywhere else', true, 'Everything else is signed out'],
  ['and leaves the rest as it is where that is unticked', false, 'are unchanged'],
])('changes it, %s', async (_, everywhere, words) => {
  const { card, sent } = await open();
  await type({ current, next, again: next });
  if (!everywhere) document.querySelector<HTMLElement>('[role=checkbox]')?.click();
  await flushPromises();
  press('Change password');
  await until(() => card.find('[role=status]').exists());
  expect(card.find('[role=status]').text()).toContain(words);
  expect(sent).toEqual([request(current, everywhere)]);
  await until(() => input('current') === null);
});

it('says at its field that the current password is wrong, until another is typed', async () => {
  const { card, sent } = await open(400);
  await type({ current: 'a wrong password', next, again: next });
  press('Change password');
  await until(() => document.activeElement === input('current') && said().current);
  expect(said()).toEqual({ current: 'Wrong current password' });
  press('Change password');
  await type({ current });
  expect(said()).toEqual({});
  press('Change password');
  await until(() => card.find('[role=status]').exists());
  expect(sent).toEqual([request('a wrong password', true), request(current, true)]);
});

it.each([
  [401, 'Your session has ended'],
  [429, 'Too many attempts'],
  [500, 'The server does not respond'],
])('says why where the server answers %d', async (status, words) => {
  const { card } = await open(status);
  await type({ current, next, again: next });
  press('Change password');
  await until(() => document.querySelector('[role=alert]'));
  expect(document.querySelector('[role=dialog] [role=alert]')?.textContent).toContain(words);
  expect([card.find('[role=status]').exists(), input('current')?.value]).toEqual([false, current]);
});

it('keeps no password when its dialog was closed', async () => {
  await open();
  await type({ current, next, again: next });
  press('Cancel');
  await until(() => input('current') === null);
  press('Change password');
  await until(() => input('current'));
  expect(['current', 'next', 'again'].map((name) => input(name)?.value)).toEqual(['', '', '']);
});
