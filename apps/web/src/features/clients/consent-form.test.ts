import { warningWords } from '@drawbridge/kit';
import { mount } from '@vue/test-utils';
import { afterEach, expect, it } from 'vitest';
import { setBench, type Bench } from '../../../test/mounting.ts';
import ConsentForm from './consent-form.vue';

let bench: Bench;
afterEach(() => bench.close());

it.each<[string, string[], string?]>([
  ['Claude Code', []],
  ['\u0421laude Code', ['A word mixes letters of different scripts']],
  ['Drawbridge', ['Uses the name of Drawbridge, but is another program']],
  [String.raw`Clau\u{200b}de`, []],
  // The server writes these out; the page does not rely on it.
  ['Clau\u200bde', [warningWords['hidden-characters']], String.raw`Clau\u{200b}de`],
  ['\u202eedualC', [warningWords['hidden-characters']], String.raw`\u{202e}edualC`],
])('NO-08: the consent page warns of the name %s: %j', async (name, warnings, shown = name) => {
  bench = await setBench();
  const request = {
    clientId: 'c',
    name,
    host: 'client.example',
    origin: 'registration' as const,
    goesTo: 'site' as const,
    scopes: ['filesystemRead' as const],
    staysConnected: false,
    account: 'ann@example.org',
    openedBy: 'x',
  };
  const form = mount(ConsentForm, { props: { request, query: 'q' }, global: bench.global });
  expect(form.findAll('[data-test=name-warning]').map((one) => one.text())).toEqual(warnings);
  expect(form.find('[data-test=client-name]').text()).toBe(shown);
  form.unmount();
});
