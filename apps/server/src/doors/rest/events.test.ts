import { describe, expect, it } from 'vitest';
import { invited } from '../../../test/tenants.ts';
import { answerNext, codeOf, listenRest, newRestClient, online } from '../../../test/rest.ts';

describe('events', () => {
  it('tell of the machine and of the own calls', async () => {
    const { server, cookie, daemon, script } = await online();
    const other = await newRestClient(server, cookie, { name: 'other' });
    const events = listenRest(server, script);
    expect(await events.next()).toMatchObject({ event: 'status', data: { state: 'online' } });
    const foreign = other.run('read_file');
    await answerNext(daemon);
    await foreign;
    const running = script.run('read_file');
    const { requestId } = await answerNext(daemon);
    await running;
    const heard = [await events.next(), await events.next()];
    expect(heard).toMatchObject([
      { event: 'call', data: { type: 'call', call: { requestId, state: 'delivered' } } },
      { event: 'call', data: { type: 'call', call: { requestId, state: 'succeeded' } } },
    ]);
  });

  it('are sent again to a reader that reconnects', async () => {
    const { server, daemon, script } = await online();
    const ids = [];
    for (let calls = 0; calls < 2; calls += 1) {
      const running = script.run('read_file');
      ids.push((await answerNext(daemon)).requestId);
      await running;
    }
    const events = listenRest(server, script, 'any');
    const heard = [await events.next(), await events.next(), await events.next()];
    expect(heard).toMatchObject([
      { event: 'status' },
      { data: { call: { requestId: ids[0], state: 'succeeded' } } },
      { data: { call: { requestId: ids[1], state: 'succeeded' } } },
    ]);
    expect(new Set(heard.map(({ id }) => id)).size).toBe(3);
  });

  it('are sent again for the newest hundred calls', async () => {
    const { server, daemon, script } = await online();
    const ids = [];
    for (let calls = 0; calls < 101; calls += 1) {
      const running = script.run('read_file');
      ids.push((await answerNext(daemon)).requestId);
      await running;
    }
    const events = listenRest(server, script, 'any');
    await events.next();
    const heard = [];
    for (let calls = 0; calls < 100; calls += 1) heard.push((await events.next()).data);
    expect(heard).toMatchObject(ids.slice(1).map((requestId) => ({ call: { requestId } })));
  });

  it('US-07 end with the token', async () => {
    const { server, panel, script } = await online();
    const events = listenRest(server, script);
    await events.next();
    const [token] = await panel.tokens.list.query();
    await panel.tokens.revoke.mutate({ id: token?.id ?? '' });
    await events.lost;
  });

  it('have ten places for one token', async () => {
    const { server, script } = await online();
    const open = Array.from({ length: 10 }, () => listenRest(server, script));
    for (const events of open) await events.next();
    expect(codeOf(await script.send('/events'))).toEqual([429, 'TOO_MANY_REQUESTS']);
  });

  it('NJ-04: have sixty places for all tokens of a person, and others have theirs', async () => {
    const { server, cookie, panel } = await online();
    const scripts = [];
    for (let count = 0; count < 7; count += 1)
      scripts.push(await newRestClient(server, cookie, { name: `script ${count}` }));
    const open = scripts
      .slice(0, 6)
      .flatMap((one) => Array.from({ length: 10 }, () => listenRest(server, one)));
    for (const events of open) await events.next();
    expect(codeOf((await scripts[6]?.send('/events')) ?? expect.fail())).toEqual([429, 'TOO_MANY_REQUESTS']);
    const guest = await newRestClient(server, await invited(server, panel));
    expect(await listenRest(server, guest).next()).toMatchObject({ event: 'status' });
  });

  it('end when the server stops', async () => {
    const { server, script } = await online();
    const events = listenRest(server, script);
    await events.next();
    await server.app.close();
    await events.lost;
  });
});
