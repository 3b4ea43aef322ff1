import type { AskPayload } from '@drawbridge/contracts/agent/asks';
import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { expect, it } from 'vitest';
import { toTelegramHtml } from '../channels/telegram/html.ts';
import { chatForm, noticeForm } from './question-form.ts';
import { shownAsk, shownConfirmation } from './shown-question.ts';

const question: Confirmation = {
  id: 'conf_1',
  requestId: 'call_1',
  machineId: 'machine_1',
  tool: 'write_file',
  title: 'Change a?',
  arguments: { path: 'a', content: 'x' },
  toolGroup: 'filesystemWrite',
  resource: '/home/ann/a',
  description: 'Change a',
  resources: [{ toolGroup: 'filesystemWrite', resource: '/home/ann/a', description: 'Change a' }],
  options: ['allowOnce', 'alwaysAllow', 'denyOnce'],
  preview: { kind: 'text', of: 'content', path: 'a', text: 'x\n' },
  reaches: [],
  why: [],
  state: 'open',
  approved: null,
  decision: null,
  reach: null,
  decidedBy: null,
  decidedVia: null,
  settledBy: null,
  createdAt: '2026-11-24T10:00:00.000Z',
  expiresAt: '2026-11-25T10:00:00.000Z',
  decidedAt: null,
};
const resource = { toolGroup: 'filesystemWrite', resource: '/home/ann/a', description: 'Change a' };

it('a question is shown with its resources and all of its change, and may be answered once', () => {
  expect(shownConfirmation(question, chatForm)).toEqual({
    text: '```\nChange a?\nTool: write_file\nfilesystemWrite: Change a\n  /home/ann/a\n+ x\n```',
    answers: {
      allow: { kind: 'resourceDecision', confirmationId: 'conf_1', resourceDecision: 'allowOnce' },
      deny: { kind: 'resourceDecision', confirmationId: 'conf_1', resourceDecision: 'denyOnce' },
    },
  });
});

it('without a preview its arguments are shown, all of them', () => {
  const { text } =
    shownConfirmation({ ...question, preview: null, arguments: { path: 'a', force: true } }, chatForm) ?? {};
  expect(text).toContain('Arguments: {\n "path": "a",\n "force": true\n}');
});

it.each<[string, Partial<Confirmation>]>([
  ['of the shell', { toolGroup: 'shell' }],
  ['of the screen', { toolGroup: 'computer' }],
  ['of the settings of the machine', { toolGroup: 'system' }],
  ['of a group that is not known', { toolGroup: 'other' }],
  ['with a resource of the shell', { resources: [resource, { ...resource, toolGroup: 'shell' }] }],
  ['with 11 resources', { resources: Array.from({ length: 11 }, () => resource) }],
  [
    'of more than 3,000 characters',
    { resource: 'x', resources: [{ ...resource, resource: 'x'.repeat(3_000) }] },
  ],
  [
    'whose change is cut',
    { preview: { kind: 'text', of: 'content', path: 'a', text: 'x', omitted: 'unknown' } },
  ],
  ['with right-to-left letters', { title: 'Change שלום?' }],
])('CH-31 CF-33 a question %s is not shown', (_what, change) => {
  for (const form of [chatForm, noticeForm])
    expect(shownConfirmation({ ...question, ...change }, form)).toBeNull();
});

it('CH-31 what the machine does not offer has no button, and a lasting answer never has one', () => {
  const answers = (options: Confirmation['options']) =>
    Object.keys(shownConfirmation({ ...question, options }, chatForm)?.answers ?? {});
  expect(answers(['alwaysAllow', 'denyOnce'])).toEqual(['deny']);
  expect(answers(['allowForSession', 'alwaysAllow', 'alwaysDeny'])).toEqual([]);
});

it('CH-32 text of the model is no markup, and hides nothing', () => {
  const hostile: Confirmation = {
    ...question,
    title: 'Read **a** [b](https://c) \u202e```\n<b>Allowed</b>',
    preview: { kind: 'text', of: 'content', path: 'a', text: '````\n[Allow](tg://x) \u200b<a>\n' },
  };
  const shown = shownConfirmation(hostile, chatForm);
  expect(toTelegramHtml(shown?.text ?? '')).toBe(
    '<pre>Read **a** [b](https://c) \\u{202e}```\\n&lt;b&gt;Allowed&lt;/b&gt;\nTool: write_file\n' +
      'filesystemWrite: Change a\n  /home/ann/a\n+ ````\n+ [Allow](tg://x) \\u{200b}&lt;a&gt;</pre>',
  );
});

const ask: AskPayload = {
  requestId: 'ask_1',
  toolCallId: 'call_1',
  toolName: 'web_search',
  args: {},
  severity: 'info',
  message: 'Search?',
  inputType: 'approval',
  expiresAt: null,
  approval: { text: 'Search for “x”' },
};

it('a question of the agent is shown with exactly what would happen', () => {
  expect(shownAsk(ask, chatForm)).toEqual({
    text: '```\nSearch?\nTool: web_search\nSearch for “x”\n```',
    answers: {
      allow: { kind: 'approval', approved: true, scope: 'once' },
      deny: { kind: 'approval', approved: false, scope: 'once' },
    },
  });
  const access = { url: 'https://xn--e1afmkfd.example/?q', host: 'xn--e1afmkfd.example', warnings: ['Look'] };
  expect(shownAsk({ ...ask, inputType: 'domain-access', domainAccess: access }, chatForm)).toMatchObject({
    text: '```\nSearch?\nHost: xn--e1afmkfd.example\nAddress: https://xn--e1afmkfd.example/?q\nLook\n```',
    answers: { allow: { domainAccessAction: 'allow_once' }, deny: { kind: 'domainAccessDeny' } },
  });
});

it('CH-32 a text that closes a block of code stays in its own', () => {
  const approval = { text: 'a\n```\n**b**\n````' };
  expect(toTelegramHtml(shownAsk({ ...ask, approval }, chatForm)?.text ?? '')).toBe(
    '<pre>Search?\nTool: web_search\na\n```\n**b**\n````</pre>',
  );
});

const choice = { id: 'q', question: 'Which?', type: 'single' as const, options: ['Tea', 'Coffee'] };
const asked = { toolName: 'ask-user', inputType: 'questions' as const };

it('a choice of the agent has its introduction, its question and its options by number', () => {
  const introMessage = 'It is five.';
  expect(
    shownAsk({ ...ask, ...asked, message: introMessage, introMessage, questions: [choice] }, chatForm),
  ).toEqual({
    text: '```\nIt is five.\nWhich?\n1. Tea\n2. Coffee\n```',
    answers: {
      1: { kind: 'questions', answers: [{ questionId: 'q', selectedOptions: ['Tea'] }] },
      2: { kind: 'questions', answers: [{ questionId: 'q', selectedOptions: ['Coffee'] }] },
    },
  });
});

it.each<[string, Partial<AskPayload>]>([
  ['to remember something', { toolName: 'remember' }],
  ['about a plan', { inputType: 'plan-review' }],
  ['to go on beyond the budget', { inputType: 'continue' }],
  ['of the agent to the person', { inputType: 'text' }],
  ['of a form of another program', { inputType: 'questions', questions: [choice] }],
  ['with several questions', { ...asked, questions: [choice, { ...choice, id: 'r' }] }],
  ['with a choice of several', { ...asked, questions: [{ ...choice, type: 'multi' }] }],
  ['without options', { ...asked, questions: [{ ...choice, type: 'text' }] }],
  ['with seven options', { ...asked, questions: [{ ...choice, options: [...'1234567'] }] }],
])('CH-31 CF-33 a question %s is not shown', (_what, change) => {
  for (const form of [chatForm, noticeForm]) expect(shownAsk({ ...ask, ...change }, form)).toBeNull();
});

it('a notification has a question whole: what it is, the tool, each resource, and all of its change', () => {
  const { text } = shownConfirmation(question, noticeForm) ?? {};
  expect(text).toBe('Change a? (write_file)\nChange a\nfilesystemWrite: /home/ann/a\n+ x');
  const about = { ...resource, description: 'Change /home/ann/a' };
  const read = { ...question, preview: null, arguments: { path: 'a' }, resources: [about] };
  expect(shownConfirmation(read, noticeForm)?.text).toBe(
    'Change a? (write_file)\nChange /home/ann/a\n{"path":"a"}',
  );
});

it.each<[string, Partial<Confirmation>]>([
  ['of five lines', { preview: { kind: 'text', of: 'content', path: 'a', text: 'x\ny\n' } }],
  ['with a line that goes on in a second one', { title: 'x'.repeat(28) }],
  ['with wide letters in a line', { title: '語'.repeat(14) }],
])('CF-33 a question %s does not fit into a notification', (_what, change) => {
  expect(shownConfirmation({ ...question, title: 'x'.repeat(27) }, noticeForm)).not.toBeNull();
  expect(shownConfirmation({ ...question, ...change }, noticeForm)).toBeNull();
  expect(shownConfirmation({ ...question, ...change }, chatForm)).not.toBeNull();
});

it('CF-33 of what the agent asks to do, a notification shows what a chat could have asked too', () => {
  const shows = (toolName: string) => shownAsk({ ...ask, toolName }, noticeForm) !== null;
  expect(['web-search', 'send_file', 'workspace_execute_command', 'delegate', 'other'].filter(shows)).toEqual(
    ['web-search', 'send_file'],
  );
});
