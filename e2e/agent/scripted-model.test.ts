import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedModel, type Script } from './scripted-model.ts';

const start = async (script: Script) => {
  const model = await startScriptedModel(script);
  onTestFinished(model.close);
  const post = (path: string, signal?: AbortSignal) =>
    fetch(`${model.url}${path}`, {
      method: 'POST',
      body: JSON.stringify({ model: 'scripted', messages: [{ role: 'user', content: 'hello' }] }),
      signal: signal ?? null,
    });
  return { model, post };
};

describe('scripted model', () => {
  it('answers its turns in their order and keeps the requests', async () => {
    const { model, post } = await start([{ text: 'one' }, { status: 429, headers: { 'retry-after': '2' } }]);
    expect(await (await post('/chat/completions')).text()).toContain('{"content":"one"}');
    const busy = await post('/chat/completions');
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await post('/messages')).status).toBe(400);
    expect(model.requests.map(({ path }) => path)).toEqual([
      '/v1/chat/completions',
      '/v1/chat/completions',
      '/v1/messages',
    ]);
  });

  it('breaks the connection of a turn that is cut', async () => {
    const { post } = await start([{ text: 'one', end: 'cut' }]);
    const reply = await post('/chat/completions');
    await expect(reply.text()).rejects.toThrow();
  });

  it('sees the client close the connection of a turn that is silent', async () => {
    const { model, post } = await start((_, number) => ({ text: `${number}`, end: 'silent' }));
    const abort = new AbortController();
    const reply = await post('/chat/completions', abort.signal);
    const request = await model.request(1);
    abort.abort();
    await expect(reply.text()).rejects.toThrow();
    await request.closed;
  });
});
