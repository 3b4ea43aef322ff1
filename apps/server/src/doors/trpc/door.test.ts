import { errorTable } from '@drawbridge/contracts/errors';
import { createErrors } from '@drawbridge/kit';
import { TRPCError } from '@trpc/server';
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc';
import { describe, expect, it } from 'vitest';
import { collectTopic } from '../../../test/collect.ts';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { createPanel, guestOf } from '../../../test/panel.ts';
import { signUpOwner, startServer, type Got } from '../../../test/server.ts';
import { errorShape } from './error-shape.ts';

const errorOf = ({ status, json }: Got) => {
  // tRPC's envelope of an error.
  const { error } = json as { error: { data: { code: string } } };
  return [status, error.data.code];
};

describe('an answer', () => {
  it.each([
    ['of one procedure', '/trpc/account.me'],
    ['of several', '/trpc/account.me,setup.status?batch=1'],
    ['that is an error', '/trpc/gateway.status'],
  ])('%s says how long it is, so that it goes out in one piece', async (_, path) => {
    const server = await startServer();
    const { headers, text } = await server.send(path);
    expect(headers).toMatchObject({
      'content-length': String(Buffer.byteLength(text)),
      'content-type': expect.stringMatching(/^application\/json/),
      vary: expect.stringContaining('trpc-accept'),
    });
    expect(headers['transfer-encoding']).toBeUndefined();
  });
});

describe('every coded error', () => {
  const errors = createErrors(errorTable);
  const rows = Object.entries(errorTable);
  it.each(rows)('%s keeps its code, number and fix', (name, row) => {
    // The names are the table's own keys.
    const cause = errors[name as keyof typeof errorTable]();
    const error = new TRPCError({ code: 'INTERNAL_SERVER_ERROR', cause });
    expect(Object.keys(TRPC_ERROR_CODES_BY_KEY)).toContain(row.trpc);
    expect(errorShape(error, 'calls.run')).toEqual({
      message: row.message,
      code: TRPC_ERROR_CODES_BY_KEY[row.trpc],
      data: { code: row.code, httpStatus: row.http, path: 'calls.run', fix: 'fix' in row ? row.fix : null },
    });
  });

  it('LG-12 reveals nothing of an internal error', () => {
    const cause = new Error('SELECT * FROM users at /srv/app.ts with sess_abc');
    const shape = errorShape(
      new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: cause.message, cause }),
      undefined,
    );
    expect(shape).toEqual({
      message: 'Something went wrong on the server',
      code: -32603,
      data: { code: 'INTERNAL', httpStatus: 500, path: null, fix: null },
    });
  });
});

describe('procedures', () => {
  it.each([
    ['GET', '/trpc/gateway.status'],
    ['GET', '/trpc/gateway.tools'],
    ['GET', '/trpc/calls.list?input=%7B%7D'],
    ['GET', '/trpc/confirmations.list'],
    ['GET', '/trpc/settings.get'],
    ['GET', '/trpc/invitations.list'],
    ['POST', '/trpc/gateway.createLink'],
    ['POST', '/trpc/gateway.disconnect'],
    ['POST', '/trpc/invitations.create'],
  ])('are closed without a session: %s %s', async (method, path) => {
    const server = await startServer();
    expect(errorOf(await server.send(path, { method, ...(method === 'POST' ? { body: {} } : {}) }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
  });

  it.each([
    'gateway.createLink',
    'gateway.disconnect',
    'invitations.create',
    'setup.createOwner',
    'calls.run',
  ])('that change something are not reached by GET: %s', async (path) => {
    const server = await startServer();
    const got = await server.send(`/trpc/${path}?input=%7B%7D`, {
      headers: { cookie: await signUpOwner(server) },
    });
    expect(errorOf(got)).toEqual([405, 'METHOD_NOT_ALLOWED']);
  });

  it('come at most twenty in one request', async () => {
    const server = await startServer();
    const batch = (count: number) =>
      server.send(`/trpc/${Array(count).fill('setup.status').join(',')}?batch=1`);
    expect((await batch(20)).status).toBe(200);
    expect((await batch(21)).status).toBe(400);
    expect((await batch(5_000)).status).toBeGreaterThanOrEqual(400);
  });

  it.each([
    ['calls.run', { name: 'read_file', arguments: {}, userId: 'other' }],
    ['calls.cancel', { requestId: '../x' }],
    ['confirmations.decide', { confirmationId: 'x', approved: true, resourceDecision: 'allowEverything' }],
    ['settings.update', { isOwner: true }],
  ])('refuse what they do not ask for: %s', async (path, body) => {
    const server = await startServer();
    const got = await server.send(`/trpc/${path}`, {
      method: 'POST',
      body,
      headers: { cookie: await signUpOwner(server) },
    });
    expect(errorOf(got)).toEqual([400, 'BAD_REQUEST']);
  });

  it('CF-08 tell the ids of another user from unknown ones in nothing', async () => {
    const server = await startServer();
    const owner = createPanel(server, await signUpOwner(server));
    const guest = await guestOf(server, owner);
    const daemon = await connectDaemon(server, (await owner.gateway.createLink.mutate()).token);
    const run = owner.calls.run.mutate({ name: 'read_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const ask = async (id: string) => {
      const input = encodeURIComponent(JSON.stringify({ requestId: id }));
      const answers = [
        await server.send(`/trpc/calls.get?input=${input}`, { headers: { cookie: guest } }),
        await server.send('/trpc/calls.cancel', {
          method: 'POST',
          headers: { cookie: guest },
          body: { requestId: id },
        }),
        await server.send(`/api/v1/instance-ai/confirm/${id}`, {
          method: 'POST',
          headers: { cookie: guest },
          body: { approved: true },
        }),
      ];
      return answers.map(({ status, text }) => [status, text]);
    };
    const foreign = await ask(requestId);
    expect(foreign).toEqual(await ask('unknown'));
    expect(foreign.map(([status]) => status)).toEqual([404, 404, 404]);
    const others = createPanel(server, guest);
    expect([
      await others.calls.list.query({}),
      await others.confirmations.list.query(),
      (await others.gateway.status.query()).state,
    ]).toEqual([{ calls: [], nextCursor: null }, [], 'offline']);
    await daemon.respond(requestId, { result: { content: [] } });
    expect(await run).toMatchObject({ state: 'succeeded' });
  });

  it('cancel the call when their caller disconnects', async () => {
    const server = await startServer();
    const panel = createPanel(server, await signUpOwner(server));
    const daemon = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    const leave = new AbortController();
    const run = panel.calls.run
      .mutate({ name: 'read_file', arguments: {} }, { signal: leave.signal })
      .catch(() => 'left');
    const { requestId } = requestOf(await daemon.stream.next());
    leave.abort();
    expect(await run).toBe('left');
    await expect.poll(async () => (await panel.calls.get.query({ requestId })).state).toBe('cancelled');
  });
});

describe('subscriptions', () => {
  it('tell the state at once and on each change, to its user alone', async () => {
    const server = await startServer();
    const owner = createPanel(server, await signUpOwner(server));
    const guest = createPanel(server, await guestOf(server, owner));
    const own = await collectTopic(owner, 'machine');
    const foreign = await collectTopic(guest, 'machine');
    expect((await own.until(1)).map(({ payload }) => payload.state)).toEqual(['offline']);
    const { token } = await owner.gateway.createLink.mutate();
    const daemon = await connectDaemon(server, token);
    const [, ...changes] = await own.until(2);
    expect(changes.at(-1)).toEqual({
      type: 'instanceAiGatewayStateChanged',
      payload: {
        connected: true,
        connectedAt: expect.any(String),
        directory: '/home/person/project',
        hostIdentifier: 'desk',
        toolCategories: [{ name: 'filesystem', enabled: true, writeAccess: true }],
        state: expect.stringMatching(/^(online|grace)$/),
      },
    });
    daemon.stream.close();
    await expect.poll(() => own.events().at(-1)?.payload.state).toBe('grace');
    expect(foreign.events().map(({ payload }) => payload.state)).toEqual(['offline']);
    own.stop();
    foreign.stop();
  });

  it('do not repeat the open confirmations, which a reader lists, and send their changes', async () => {
    const server = await startServer();
    const panel = createPanel(server, await signUpOwner(server));
    const daemon = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    const run = panel.calls.run.mutate({ name: 'write_file', arguments: {} });
    const { requestId } = requestOf(await daemon.stream.next());
    const question = {
      toolGroup: 'filesystemWrite',
      resource: '/a',
      description: 'Write a',
      options: ['allowOnce'],
    };
    const text = `GATEWAY_CONFIRMATION_REQUIRED::${JSON.stringify(question)}`;
    await daemon.respond(requestId, { result: { content: [{ type: 'text', text }], isError: true } });
    await run;
    const late = await collectTopic(panel, 'confirmations');
    const listed = await panel.confirmations.list.query();
    expect(listed.map((one) => [one.requestId, one.state])).toEqual([[requestId, 'open']]);
    await panel.calls.cancel.mutate({ requestId });
    expect((await late.until(1)).map(({ confirmation }) => confirmation.state)).toEqual(['withdrawn']);
    late.stop();
  });

  it('begin again with the newest calls after a lost connection', async () => {
    const server = await startServer();
    const panel = createPanel(server, await signUpOwner(server));
    const daemon = await connectDaemon(server, (await panel.gateway.createLink.mutate()).token);
    const ids: string[] = [];
    for (let at = 0; at < 2; at += 1) {
      const run = panel.calls.run.mutate({ name: 'read_file', arguments: {} });
      const { requestId } = requestOf(await daemon.stream.next());
      await daemon.respond(requestId, { result: { content: [] } });
      await run;
      ids.push(requestId);
    }
    const fresh = await collectTopic(panel, 'calls');
    const resumed = await collectTopic(panel, 'calls', { lastEventId: 'earlier' });
    expect((await resumed.until(2)).map((event) => event.type === 'call' && event.call.requestId)).toEqual(
      ids,
    );
    expect(fresh.events()).toEqual([]);
    fresh.stop();
    resumed.stop();
  });
});
