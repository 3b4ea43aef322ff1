import { readFileSync } from 'node:fs';
import { channelKinds, platformOf } from '@drawbridge/contracts/outside/channel-platforms';
import { expect, it } from 'vitest';
import { withAgent } from '../../../../test/agent.ts';
import { bearer, newToken, openPerson, openRpc } from '../../../../test/rpc.ts';

it('CH-39 numbers: a person has those of every thread, a token those of its own; channels are off', async () => {
  const world = await withAgent(() => ({ text: 'Hello there.' }));
  const { server, cookie, say, until } = world;
  await say('What about kubernetes?');
  await until('run-finish', () => true);
  const { token, id } = await newToken(server, cookie, ['agent', 'operate']);
  const [person, rpc] = [await openPerson(server, cookie), await openRpc(server, token)];

  const seen = (await person.call('system.sessionAnalytics', { days: 1 })).result;
  expect(seen).toMatchObject({
    daily: [{ day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), sessions: 1, messages: 2 }],
    topSessions: [{ sessionId: 'thread:thread', messages: 2, lastActivity: expect.any(Number) }],
    topTools: [],
    averageMessagesPerSession: 2,
    totalSessions: 1,
    totalMessages: 2,
  });
  const usage = (await person.call('system.contextUsage')).result;
  expect(usage).toMatchObject({
    sessions: [
      { sessionId: 'thread:thread', budget: { shouldCompact: false, usagePct: expect.any(Number) } },
    ],
  });
  expect((await person.call('system.sessionAnalytics', { days: 366 })).error).toMatchObject({ code: -2 });

  const empty = {
    daily: [],
    topSessions: [],
    topTools: [],
    topTopics: [],
    averageMessagesPerSession: 0,
    totalSessions: 0,
    totalMessages: 0,
  };
  expect((await rpc.call('system.sessionAnalytics')).result).toEqual(empty);
  expect((await rpc.call('system.contextUsage')).result).toEqual({ sessions: [] });
  expect((await rpc.call('system.health')).result).toMatchObject({ sessions: 0 });
  await rpc.call('agent.send', { message: 'hi', sessionId: 'telegram:1' });
  expect((await rpc.call('system.sessionAnalytics')).result).toMatchObject({
    topSessions: [{ sessionId: 'telegram:1', messages: 2 }],
    totalSessions: 1,
  });
  expect((await rpc.call('system.contextUsage')).result).toMatchObject({
    sessions: [{ sessionId: 'telegram:1' }],
  });

  expect((await person.call('system.metrics')).result).toMatchObject({
    messagesProcessed: 2,
    errors: 0,
    activeRequests: 1,
    modelCalls: { total: expect.any(Number), errorRate: 0 },
    runStates: { start: 2, complete: 2, cancelled: 0 },
    reactions: { matched: 0, skipped: 0, skipReasons: {} },
    queueDepth: 0,
    lanes: { overflow: 0 },
  });

  const presence = async (params: object = {}) => (await person.call('system.presence', params)).result;
  expect(await presence({ channel: 'telegram' })).toMatchObject({
    presence: [{ channel: 'telegram', senderId: id, messageCount: 1, status: 'online' }],
    summary: { total: 1, online: 1, offline: 0 },
  });
  expect(await presence({ status: 'online', limit: 1 })).toMatchObject({ presence: [{}] });
  expect((await rpc.call('system.presence', { limit: 201 })).error).toMatchObject({ code: -2 });

  const asked = await server.send('/api/health', { headers: bearer(token) });
  expect(asked.json).toMatchObject({ status: 'ok', sessions: 1, connections: 2 });
  const signedIn = await server.send('/api/health', { headers: { cookie } });
  expect(signedIn.json).toMatchObject({ status: 'ok', sessions: 2, machine: { state: 'none', name: null } });
  expect((await server.send('/api/health')).status).toBe(401);
  const page = readFileSync(new URL('../../../../../../docs/channels.md', import.meta.url), 'utf8');
  for (const kind of channelKinds) {
    const { webhookPath } = platformOf(kind);
    const { status, json } = await server.send(webhookPath, { method: 'POST', body: { any: 'thing' } });
    const fix = expect.stringContaining('Settings > Channels');
    expect([status, json]).toEqual([501, expect.objectContaining({ code: 'NOT_AVAILABLE', fix })]);
    expect(page).toContain(webhookPath);
  }
});
