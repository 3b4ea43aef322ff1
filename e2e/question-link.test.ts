import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolScopes } from '@drawbridge/contracts/groups';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createProcesses,
  follow,
  openPage,
  owner,
  postMcp,
  startBrowser,
  startMachine,
  type Daemon,
  type Person,
  type Server,
} from './harness/index.ts';
import { describeWith } from './services.ts';

interface Answer {
  content: { text: string }[];
  structuredContent: { callId: string; state: string; confirmationUrl: string };
  _meta: Record<string, unknown>;
}

describeWith('chromium')('a question that an agent does not wait for', () => {
  const processes = createProcesses();
  let server: Server;
  let ann: Person;
  let daemon: Daemon;
  let browser: Browser;
  let token = '';

  beforeAll(async () => {
    ({ server, ann, daemon } = await startMachine(processes));
    ({ token } = await ann.api.tokens.create.mutate({ name: 'Agent', scopes: [...toolScopes] }));
    browser = await startBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await processes.stopAll();
  });

  /** A call of an agent without a wait; `given` is the JSON text of the arguments. */
  const call = async (name: string, given: string, meta: object = {}): Promise<Answer> => {
    const _meta = JSON.stringify({ 'drawbridge/waitMs': 0, ...meta });
    const response = await postMcp(server.url, {
      token,
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${given},"_meta":${_meta}}}`,
    });
    const text = await response.text();
    const json = text.startsWith('{')
      ? text
      : (text.split('\n').find((line) => line.startsWith('data: {')) ?? '');
    return (JSON.parse(json.replace(/^data: /, '')) as { result: Answer }).result;
  };
  const open = () => ann.api.confirmations.list.query();

  it('has an address that leads through the sign-in to its card, and is answered there', async () => {
    const { structuredContent } = await call('write_file', '{"filePath":"a.txt","content":"from the agent"}');
    const { callId, state, confirmationUrl } = structuredContent;
    expect(state).toBe('awaiting-confirmation');
    const page = await openPage(browser);
    await page.goto(confirmationUrl);
    await page.locator('[name=email]').fill(owner.email);
    await page.locator('[name=password]').fill(owner.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(confirmationUrl.replace('/confirmations/', '/inbox/'));
    const card = page.locator('[data-test=confirmation]');
    await card.getByText('a.txt').first().waitFor();
    expect(await card.count()).toBe(1);
    await card.locator('[data-decision=allowOnce]').click();
    await page.getByText('This question is closed').waitFor();
    const outcome = await call('call_result', JSON.stringify({ id: callId, waitMs: 30_000 }));
    expect(outcome._meta['drawbridge/callId']).toBe(callId);
    expect(readFileSync(join(daemon.root, 'a.txt'), 'utf8')).toBe('from the agent');
    await follow(page, new URL(confirmationUrl).pathname);
    await page.getByText('This question is closed').waitFor();
    await follow(page, '/confirmations/unknown');
    await page.getByText('Question not found').waitFor();
    await page.context().close();
  });

  const wanted = '"filePath":"b.txt","content":"b"';
  it.each([
    ['beside the others', `{"_confirmation":"alwaysAllow",${wanted}}`, {}],
    ['twice', `{"_confirmation":"x","_confirmation":"allowOnce",${wanted}}`, {}],
    ['escaped', `{"\\u005fconfirmation":"allowOnce",${wanted}}`, {}],
    ['in _meta', `{${wanted}}`, { _confirmation: 'allowOnce' }],
  ])('MC-11 a decision that the agent slips in, %s, is asked about anyway', async (_, given, meta) => {
    const { structuredContent } = await call('write_file', given, meta);
    expect(structuredContent.state).toBe('awaiting-confirmation');
    const [confirmation, ...others] = await open();
    expect([confirmation?.requestId, others]).toEqual([structuredContent.callId, []]);
    expect(existsSync(join(daemon.root, 'b.txt'))).toBe(false);
    await ann.api.calls.cancel.mutate({ requestId: structuredContent.callId });
  });

  it.each([
    ['__confirmation', `{"__confirmation":"allowOnce",${wanted}}`],
    ['_Confirmation', `{"_Confirmation":"allowOnce",${wanted}}`],
    ['further in', `{"args":{"_confirmation":"allowOnce"},${wanted}}`],
  ])('MC-11 as %s it is no argument of the tool, or is asked about', async (_, given) => {
    const { structuredContent } = await call('write_file', given);
    const asked = await open();
    expect(asked.map(({ requestId }) => requestId)).toEqual(
      structuredContent === undefined ? [] : [structuredContent.callId],
    );
    expect(existsSync(join(daemon.root, 'b.txt'))).toBe(false);
    for (const { requestId } of asked) await ann.api.calls.cancel.mutate({ requestId });
  });
});
