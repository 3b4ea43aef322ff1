import { connectedTools, machineStatus } from '../callers/index.ts';
import type { CallEvent } from '@drawbridge/contracts/calls';
import type { ConfirmationEvent } from '@drawbridge/contracts/confirmation';
import type { StateChanged } from '@drawbridge/contracts/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connect,
  initBody,
  openGateway,
  openStream,
  question,
  text,
  type GatewayFixture,
  callerOf,
  watchStatus,
} from '../../test/gateway-fixture.ts';

let fixture: GatewayFixture;
afterEach(() => fixture.close());

const ended = { door: 'trpc', until: 'ended' } as const;
const asked = { door: 'trpc', until: 'asked' } as const;
const start = '2026-01-01T00:00:00.000Z';

describe('the main path', () => {
  it('pairs, connects, calls and answers', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const states: StateChanged[] = [];
    const calls: CallEvent[] = [];
    watchStatus(gateway, 'ada', (event) => states.push(event));
    gateway.calls.onChanged('ada', (event) => calls.push(event));

    const link = await gateway.pairing.createLink('ada');
    expect(link).toEqual({
      token: expect.stringMatching(/^gw_[\w-]{32}$/),
      command: `drawbridge ${link.token}`,
      expiresAt: '2026-01-01T00:05:00.000Z',
      ttlSeconds: 300,
    });
    const reply = await gateway.daemon.init(link.token, initBody());
    expect(reply).toEqual({
      ok: true,
      epoch: 1,
      features: ['responses', 'settled', 'keep-session', 'socket'],
      machine: expect.any(Object),
      sessionKey: expect.stringMatching(/^sess_[\w-]{32}$/),
    });
    const key = reply.sessionKey ?? '';
    const stream = await openStream(gateway, key);
    const status = {
      connected: true,
      connectedAt: start,
      directory: '/home/ada/notes',
      hostIdentifier: 'ada-laptop',
      toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
      state: 'online',
    };
    expect(await machineStatus(gateway, { userId: 'ada' })).toEqual(status);
    expect((await connectedTools(gateway, { userId: 'ada' })).map((tool) => tool.name)).toEqual([
      'read_file',
      'write_file',
    ]);

    const running = callerOf(gateway, 'ada').run(
      { name: 'read_file', arguments: { path: 'a.txt', _confirmation: 'allowOnce' } },
      ended,
    );
    await clock.settle(1_500);
    const [request] = stream.requests();
    const requestId = request?.requestId ?? '';
    expect(request).toEqual({
      requestId: expect.stringMatching(/^[0-9a-z]{9}[\w-]{22}$/),
      toolCall: { name: 'read_file', arguments: { path: 'a.txt' } },
      timeoutMs: 30_000,
    });
    expect(await gateway.daemon.respond(key, requestId, text('hello'))).toEqual({ ok: true });

    const expected = {
      requestId,
      machineId: expect.any(String),
      tool: 'read_file',
      subject: 'a.txt',
      arguments: { path: 'a.txt' },
      door: 'trpc',
      state: 'succeeded',
      result: { content: [{ type: 'text', text: 'hello' }] },
      error: null,
      started: true,
      ruling: null,
      decision: null,
      decidedBy: null,
      denialReason: null,
      confirmationId: null,
      createdAt: start,
      deliveredAt: start,
      endedAt: '2026-01-01T00:00:01.500Z',
      durationMs: 1_500,
      rev: 2,
    };
    expect(await running).toEqual(expected);
    expect(await gateway.calls.get('ada', requestId)).toEqual(expected);
    const { result: _result, arguments: _arguments, ...summary } = expected;
    expect(await gateway.calls.list('ada', { limit: 50 })).toEqual({ calls: [summary], nextCursor: null });
    expect(states).toEqual([{ type: 'instanceAiGatewayStateChanged', payload: status }]);
    expect(calls.map((event) => event.type === 'call' && event.call.state)).toEqual([
      'delivered',
      'succeeded',
    ]);
    expect(fixture.errors).toEqual([]);
  });

  it('asks, and runs with the decision', async () => {
    fixture = await openGateway();
    const { gateway, clock } = fixture;
    const events: ConfirmationEvent[] = [];
    gateway.confirmations.onChanged('ada', (event) => events.push(event));
    const { key, stream } = await connect(gateway, 'ada');
    const running = callerOf(gateway, 'ada').run({ name: 'write_file', arguments: { path: 'a.txt' } }, asked);
    await clock.settle();
    const requestId = stream.requests()[0]?.requestId ?? '';
    expect(await gateway.daemon.respond(key, requestId, question())).toEqual({ ok: true });
    const waiting = await running;
    expect(waiting).toMatchObject({
      state: 'awaiting-confirmation',
      confirmationId: expect.any(String),
      endedAt: null,
    });
    const [confirmation] = await gateway.confirmations.list('ada');
    expect(confirmation).toEqual({
      id: waiting.confirmationId,
      requestId,
      machineId: waiting.machineId,
      tool: 'write_file',
      arguments: { path: 'a.txt' },
      toolGroup: 'filesystemWrite',
      resource: '/home/ada/notes/a.txt',
      description: 'Write a.txt',
      resources: [
        { toolGroup: 'filesystemWrite', resource: '/home/ada/notes/a.txt', description: 'Write a.txt' },
      ],
      options: ['allowOnce', 'allowForSession', 'alwaysAllow', 'denyOnce', 'alwaysDeny'],
      title: null,
      why: [],
      settledBy: null,
      preview: null,
      reaches: [],
      state: 'open',
      approved: null,
      decision: null,
      reach: null,
      decidedBy: null,
      decidedVia: null,
      createdAt: start,
      expiresAt: '2026-01-02T00:00:00.000Z',
      decidedAt: null,
    });
    const answer = { approved: true, resourceDecision: 'allowForSession' } as const;
    expect(await gateway.confirmations.decide('ada', { requestId }, answer)).toEqual({
      confirmationId: waiting.confirmationId,
      state: 'decided',
      approved: true,
      decision: 'allowForSession',
    });
    expect(stream.requests()[1]).toEqual({
      requestId,
      toolCall: { name: 'write_file', arguments: { path: 'a.txt', _confirmation: 'allowForSession' } },
      timeoutMs: 30_000,
      askId: 'ask-1',
    });
    await gateway.daemon.respond(key, requestId, text('written'));
    expect(await gateway.calls.get('ada', requestId)).toMatchObject({
      state: 'succeeded',
      decision: 'allowForSession',
      decidedBy: 'ada',
      confirmationId: null,
    });
    await clock.settle();
    expect(events.map((event) => event.confirmation.state)).toEqual(['open', 'decided']);
    expect(await gateway.confirmations.list('ada')).toEqual([]);
    expect(fixture.errors).toEqual([]);
  });
});
