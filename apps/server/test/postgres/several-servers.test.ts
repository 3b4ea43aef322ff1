import { nanoid } from 'nanoid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../../../e2e/services.ts';
import { connectDaemon } from '../daemon.ts';
import { nextCall } from '../agent.ts';
import { createPanel } from '../panel.ts';
import { startRedis } from '../redis.ts';
import { signUpOwner, startServer } from '../server.ts';
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

describeWith('redis')('two servers on one database', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.kill());

  const startTwo = async () => {
    const environment = {
      DATABASE_URL: await newDatabase(),
      REDIS_URL: redis.url,
      SECRET: secret,
      DISABLED_MODULES: 'instance-ai',
    };
    const a = await startServer({ environment });
    const b = await startServer({ environment });
    const cookie = await signUpOwner(a);
    const [panelA, panelB] = [createPanel(a, cookie), createPanel(b, cookie)];
    const { token } = await panelA.gateway.createLink.mutate();
    const daemon = await connectDaemon(b, token);
    return { environment, a, b, panelA, panelB, daemon };
  };
  const read = { name: 'read_file', arguments: { path: 'a' } };
  const done = { content: [{ type: 'text' as const, text: 'done' }] };

  it('a call at one reaches a machine that is connected to the other; a lone server is refused', async () => {
    const { environment, panelA, daemon } = await startTwo();
    const run = panelA.calls.run.mutate(read);
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, { result: done });
    expect(await run).toMatchObject({ state: 'succeeded', result: done });
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
});
