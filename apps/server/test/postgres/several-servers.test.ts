import { nanoid } from 'nanoid';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { daemonMounts, gatewayKeyHeader } from '@drawbridge/contracts/daemon-paths';
import { personSender } from '@drawbridge/agent';
import { startScriptedModel, type Turn } from '../../../../e2e/agent/scripted-model.ts';
import { startRelay } from '../../../../e2e/faults/servers/relay.ts';
import { describeWith } from '../../../../e2e/services.ts';
import { runDoctor } from '../../src/commands/doctor.ts';
import { configFrom } from '../../src/config.ts';
import { connectDaemon, openStream, requestOf } from '../daemon.ts';
import { nextCall, threadOf } from '../agent.ts';
import { isHelper } from '../agent-turns.ts';
import { createPanel } from '../panel.ts';
import { codeOf, newRestClient } from '../rest.ts';
import { newToken, openRpc } from '../rpc.ts';
import { startRedis } from '../redis.ts';
import { owner, signUpOwner, startServer } from '../server.ts';
import { newDatabase } from './databases.ts';

const secret = nanoid(40);

it('a server without REDIS_URL runs alone on its database', async () => {
  const DATABASE_URL = await newDatabase();
  const first = await startServer({ environment: { DATABASE_URL } });
  const second = startServer({ environment: { DATABASE_URL } });
  await expect(second).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
  await first.app.close();
  await startServer({ environment: { DATABASE_URL } });
});

/** What `doctor` says of the servers of a store, and of Redis. */
const serversSeen = async (environment: Record<string, string>): Promise<string[]> => {
  const config = configFrom({ DATA_DIR: '/nowhere', ...environment });
  const { text } = await runDoctor(config, { json: true });
  const { checks } = JSON.parse(text) as { checks: { name: string; says: string }[] };
  return checks.flatMap(({ name, says }) => (name === 'servers' || name === 'redis' ? [says] : []));
};

describeWith('redis')('two servers on one database', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.kill());

  const startTwo = async (more: Record<string, string> = {}) => {
    const environment = {
      DATABASE_URL: await newDatabase(),
      REDIS_URL: redis.url,
      SECRET: secret,
      METRICS_TOKEN: secret,
      ...more,
    };
    const a = await startServer({ environment });
    const b = await startServer({ environment });
    const cookie = await signUpOwner(a);
    const [panelA, panelB] = [createPanel(a, cookie), createPanel(b, cookie)];
    const { token } = await panelA.gateway.createLink.mutate();
    const daemon = await connectDaemon(b, token);
    return { environment, cookie, a, b, panelA, panelB, daemon };
  };
  const read = { name: 'read_file', arguments: { path: 'a' } };
  const done = { content: [{ type: 'text' as const, text: 'done' }] };

  it('a call at one reaches a machine that is connected to the other; a lone server is refused', async () => {
    const { environment, a, panelA, daemon } = await startTwo();
    const run = panelA.calls.run.mutate(read);
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, { result: done });
    expect(await run).toMatchObject({ state: 'succeeded', result: done });
    const metrics = await a.send('/metrics', { headers: { authorization: `Bearer ${secret}` } });
    expect(metrics.text).toMatch(/^drawbridge_bus_up 1$/m);
    expect(metrics.text).toMatch(/^drawbridge_bus_lag_seconds \S+$/m);
    expect(metrics.text).toMatch(/^drawbridge_store_connections\{state="idle"\} [1-9]/m);
    expect(metrics.text).toMatch(/^drawbridge_agent_threads 0$/m);
    const lone = startServer({ environment: { DATABASE_URL: environment.DATABASE_URL } });
    await expect(lone).rejects.toMatchObject({ code: 'DATA_FOLDER_IN_USE' });
  });

  it('so it does while Redis is away, by what is stored', async () => {
    const { panelA, daemon } = await startTwo();
    await redis.kill();
    const run = panelA.calls.run.mutate(read);
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, { result: done });
    expect(await run).toMatchObject({ state: 'succeeded' });
    await redis.start();
  });

  it('guesses of a password count at both together, and without Redis at each', async () => {
    const { a, b } = await startTwo({ SIGN_IN_PER_MINUTE: '4', TRUST_PROXY: '127.0.0.1' });
    const signIn = async (server: typeof a, address: string, password: string) => {
      const headers = { 'x-forwarded-for': address };
      const body = { email: owner.email, password };
      return (await server.send('/api/auth/sign-in/email', { method: 'POST', headers, body })).status;
    };
    const guesses = async (...servers: (typeof a)[]) => {
      const statuses: number[] = [];
      for (const [at, server] of servers.entries())
        statuses.push(await signIn(server, `192.0.2.${at}`, 'wrong'));
      return statuses;
    };
    expect(await guesses(a, b, a, b)).toEqual([401, 401, 401, 401]);
    // The fifth is counted and refused; after it the account is closed at both.
    expect(await guesses(a, a, b)).toEqual([429, 429, 429]);
    await redis.kill();
    expect(await guesses(b, b, b)).toEqual([401, 401, 429]);
    expect(await signIn(a, '192.0.2.9', owner.password)).toBe(200);
    await redis.start();
  });

  it('a server that drains: calls that it has are answered, the last ones with 503; all else goes elsewhere', async () => {
    const { environment, a, b, cookie, daemon } = await startTwo({ DRAIN_SECONDS: '12' });
    const script = await newRestClient(b, cookie);
    const { token } = await newToken(b, cookie);
    const rpc = await openRpc(b, token);
    const run = async () => {
      const answer = script.run('read_file', { path: 'a' });
      return { answer, ...requestOf(await daemon.stream.next()) };
    };
    const [first, second] = [await run(), await run()];
    const closing = b.app.close({ drains: true });
    expect((await b.send('/ready')).status).toBe(503);
    // `doctor` sees both, and that one of them leaves.
    const seen = await serversSeen(environment);
    expect(seen).toEqual([
      expect.stringMatching(/^\S+, version \S+, seen \d s ago$/),
      expect.stringMatching(/^\S+, version \S+, seen \d s ago, leaves since \d s$/),
      expect.stringMatching(/^127\.0\.0\.1:\d+ answers$/),
    ]);
    expect((await script.send('/machines')).status).toBe(200);
    await daemon.stream.ended;
    const refused = await script.send('/machines');
    expect([...codeOf(refused), refused.headers]).toEqual([
      503,
      'SHUTTING_DOWN',
      expect.objectContaining({ 'retry-after': '2', connection: 'close' }),
    ]);
    expect((await b.send('/health')).status).toBe(200);
    expect((await rpc.closed).code).toBe(1012);
    const headers = { [gatewayKeyHeader]: daemon.sessionKey };
    const moved = await openStream(`${a.url}${daemonMounts.bare}/events`, headers);
    const { requestId } = first;
    await a.send(`${daemonMounts.bare}/response/${requestId}`, {
      method: 'POST',
      headers,
      body: { result: done },
    });
    expect(await first.answer).toMatchObject({ status: 200, json: { state: 'succeeded' } });
    const unanswered = await second.answer;
    expect([...codeOf(unanswered), unanswered.headers['retry-after']]).toEqual([503, 'SHUTTING_DOWN', '2']);
    await closing;
    moved.close();
  });

  it('a server that ends while Postgres is away closes what it has, and ends', async () => {
    const url = new URL(await newDatabase());
    const relay = await startRelay(Number(url.port));
    url.port = String(relay.port);
    const { b, daemon } = await startTwo({
      DATABASE_URL: url.href,
      DRAIN_SECONDS: '1',
      AGENT_MODEL: 'stub',
      AGENT_MODEL_URL: 'http://127.0.0.1:1',
    });
    relay.close();
    await b.app.close({ drains: true });
    await daemon.stream.ended;
  });

  it('a companion at one, and what it sends there, are seen by a client at the other', async () => {
    const { a, b, cookie } = await startTwo();
    const { token } = await newToken(a, cookie, ['node', 'operate']);
    const [atA, atB] = [await openRpc(a, token), await openRpc(b, token)];
    await atA.call('node.register', { nodeId: 'phone', role: 'companion', protocolVersion: 1 });
    const { result } = await atB.call('system.nodes');
    expect(result?.nodes).toMatchObject([{ role: 'daemon' }, { id: 'phone', connected: true }]);
    await atB.call('node.register', { nodeId: 'phone', role: 'companion', protocolVersion: 1 });
    expect((await atA.closed).code).toBe(1008);
    const presence = async () => (await atB.call('system.presence', { channel: 'ws' })).result?.presence;
    await openRpc(a, (await newToken(a, cookie, ['agent'])).token);
    await expect.poll(presence).toHaveLength(2);
  });

  it('the agent: a message at the other server, its readers there, and a run whose server leaves', async () => {
    const held = Promise.withResolvers<void>();
    const turns: Turn[] = [
      { text: 'First.' },
      { text: ['Sec', 'ond.'], until: held.promise },
      { text: 'Last.' },
    ];
    const used = { count: 0 };
    const model = await startScriptedModel((request) => {
      if (isHelper(request)) return { text: 'Title' };
      used.count += 1;
      return turns[used.count - 1] ?? { text: 'End.' };
    });
    onTestFinished(model.close);
    const { a, b, panelA } = await startTwo({ AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url });
    const userId = (await panelA.account.me.query())?.id ?? '';
    const [atA, atB] = [a, b].map(({ app: { agent } }) => {
      if (!agent) throw new Error('the agent is on');
      return { agent, ...threadOf(agent, userId) };
    });
    if (!atA || !atB) throw new Error('two servers');
    await atA.say('One');
    await atB.until('run-finish');
    const texts: string[] = [];
    const { stop } = atB.agent.threads.listen(userId, 'thread', (signal) => {
      if (signal.type === 'live' && 'text' in signal.event.payload) texts.push(signal.event.payload.text);
    });
    const { done } = await atB.agent.lanes.send(personSender(userId, 'panel'), 'thread', { text: 'Two' });
    await expect.poll(() => texts.join('')).toBe('Second.');
    await a.app.close();
    held.resolve();
    expect(await done).toMatchObject({ outcome: 'completed', content: 'Last.' });
    stop();
    const ends = (await atB.events()).flatMap(({ event }) =>
      event.type === 'run-finish' ? [event.payload.status] : [],
    );
    expect(ends).toEqual(['completed', 'completed']);
  });
});
