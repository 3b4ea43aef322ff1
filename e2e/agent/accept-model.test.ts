import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { checkLine } from '@drawbridge/contracts/agent/settings';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createProcesses,
  openPage,
  startBrowser,
  startServer,
  until,
  type Person,
  type Server,
} from '../harness/index.ts';
import { describeWith } from '../services.ts';
import { agentOf, use, type Reply } from './accept-http.ts';
import { startScriptedModel, type ScriptedModel, type ScriptedRequest, type Turn } from './scripted-model.ts';
import { threadOf } from './thread.ts';

const key = 'key-that-is-right-0123456789';
const wrongKey = 'key-that-is-wrong-9876543210';
const pageUrl = `http://page.example/path?long=${'x'.repeat(600)}`;
const refusal = (status: number, message: string): Turn => ({
  status,
  body: { error: { message, type: 'invalid_request_error' } },
});

const script = ({ headers, body, tools, text: request }: ScriptedRequest): Turn => {
  if (headers.authorization !== `Bearer ${key}`)
    return refusal(401, `Incorrect API key provided: ${headers.authorization}`);
  if (body.model === 'none') return refusal(404, `The model none does not exist; your key is ${key}`);
  if (tools.includes('report_number'))
    return body.model === 'mute' ? { text: 'Seven' } : use('report_number', { number: 7 });
  if (tools.length === 0) return { text: request.includes('image_url') ? 'Red.' : 'ready' };
  return request.includes('not try it again') ? { text: 'Well.' } : use('fetch-url', { url: pageUrl });
};

/** A receiver of OTLP over HTTP, and what it got. */
const openReceiver = async () => {
  const got: string[] = [];
  const server = createServer(async (request, reply) => {
    got.push(await text(request));
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return { got, url: `http://127.0.0.1:${address.port}`, close: () => server.close() };
};

const filesBelow = (folder: string): Buffer[] =>
  readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)));
const linesOf = ({ body }: Reply) => z.object({ lines: z.array(checkLine) }).parse(body).lines;

describe('acceptance 1: the model', () => {
  const processes = createProcesses();
  const replies: Reply[] = [];
  let model: ScriptedModel;
  let receiver: Awaited<ReturnType<typeof openReceiver>>;
  let server: Server;
  let ann: Person;

  const kept = async (reply: Promise<Reply>) => {
    replies.push(await reply);
    return reply;
  };
  const settings = () => kept(agentOf(ann).get('/settings'));
  const say = (id: string) => kept(agentOf(ann).post(`/chat/${id}`, { message: 'Read a page' }));
  const choose = (name: string, modelKey = key) =>
    kept(agentOf(ann).patch('/settings', { model: name, modelUrl: model.url, modelKey }));
  const test = async () => linesOf(await kept(agentOf(ann).post('/settings/verify/model')));

  beforeAll(async () => {
    [model, receiver] = await Promise.all([startScriptedModel(script), openReceiver()]);
    server = await startServer(processes, {
      LOG_LEVEL: 'trace',
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      AGENT_TRACE_CONTENT: 'true',
    });
    ann = await server.createOwner();
  });
  afterAll(async () => {
    await processes.stopAll();
    await model.close();
    receiver.close();
  });

  it('that is not chosen: the agent is off', async () => {
    expect((await settings()).body).toMatchObject({ module: true, enabled: false, model: null });
    expect(await say('off')).toMatchObject({ status: 503, body: { code: 'AGENT_OFF' } });
    expect((await test()).map(({ state }) => state)).toEqual(['failed', ...Array(4).fill('skipped')]);
    expect(model.requests).toEqual([]);
  });

  describeWith('chromium')('in the panel', () => {
    it('is chosen and tested there: no Chat before, five green lines; 14: a card has the whole address', async () => {
      const browser = await startBrowser();
      try {
        const page = await openPage(browser, { person: ann });
        const chat = page.getByRole('link', { name: 'Chat', exact: true });
        await page.goto(`${server.url}/settings/server`);
        const section = page.getByRole('form', { name: 'Model' });
        for (const [name, value] of Object.entries({ model: 'stub', modelUrl: model.url, modelKey: key }))
          await section.locator(`input[name=${name}]`).fill(value);
        expect(await chat.count()).toBe(0);
        // What is typed is tested, before it is saved.
        await page.locator('[data-test=verify-model]').click();
        await expect.poll(() => page.locator('[data-test=lines] li .text-success').count()).toBe(5);
        expect((await settings()).body).toMatchObject({ enabled: false, model: null, modelKey: null });
        await section.getByRole('button', { name: 'Save' }).click();
        await until(async () => JSON.stringify((await settings()).body).includes('"enabled":true'));
        await expect.poll(() => page.content()).not.toContain(key);
        await page.reload();
        await chat.click();
        await page.getByRole('textbox', { name: 'Message' }).fill('Read a page');
        await page.keyboard.press('Enter');
        expect(await page.locator('[data-test=url]').innerText()).toBe(pageUrl);
        await page.locator('[data-test=deny]').click();
        await page.getByText('Well.').waitFor();
      } finally {
        await browser.close();
      }
    });
  });

  it('that works has five lines; each thing that does not has its own sentence', async () => {
    await choose('stub');
    expect((await test()).map(({ state }) => state)).toEqual(Array(5).fill('ok'));
    await choose('stub', wrongKey);
    const [refused] = await test();
    expect(refused).toMatchObject({ state: 'failed', text: expect.stringContaining('API key') });
    await choose('none');
    const [unknown] = await test();
    expect(unknown).toMatchObject({ state: 'failed', text: expect.stringContaining('name of the model') });
    await choose('mute');
    const mute = (await test()).filter(({ state }) => state === 'failed');
    expect(mute).toMatchObject([{ text: expect.stringContaining('did not call the tool') }]);
  });

  it('LG-01 LG-07: its key is in no log, reply, event, span or file', async () => {
    for (const [id, name, used] of [
      ['refused', 'stub', wrongKey],
      ['unknown', 'none', key],
    ] as const) {
      await choose(name, used);
      await say(id);
      expect((await threadOf(ann, id).until('run-finish')).payload.status).toBe('error');
    }
    const events = await Promise.all(['refused', 'unknown'].map((id) => threadOf(ann, id).events()));
    await settings();
    await server.end('SIGTERM');
    expect(receiver.got.join('')).toContain('chat stub');
    const sinks = [server.process().output(), JSON.stringify([replies, events]), ...receiver.got];
    const found = [...sinks.map((sink) => Buffer.from(sink)), ...filesBelow(server.dataDir)].filter(
      (bytes) => bytes.includes(key) || bytes.includes(wrongKey),
    );
    expect(found.map(String)).toEqual([]);
    expect(model.requests.map(({ headers }) => headers.authorization)).toContain(`Bearer ${key}`);
  });

  it('with the module disabled has no address', async () => {
    const disabled = await startServer(processes, { DISABLED_MODULES: 'instance-ai' });
    const agent = agentOf(await disabled.createOwner());
    const got = [agent.get('/settings'), agent.post('/chat/any', { message: 'hi' }), agent.get('/threads')];
    expect((await Promise.all(got)).map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});
