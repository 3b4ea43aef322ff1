import { pairedChannel } from '../../test/channel-world.ts';
import { openPerson, openRpc } from '../../test/rpc.ts';
import { expect, it } from 'vitest';
import { requestOf } from '../../test/daemon.ts';
import { createPanel } from '../../test/panel.ts';
import { answerNext, online, text as textOf } from '../../test/rest.ts';
import { refuse } from '../../test/telegram.ts';
import { startServer, type TestServer } from '../../test/server.ts';

const token = 'm'.repeat(32);

const read = async (server: TestServer, bearer = token) =>
  server.send('/metrics', { headers: { authorization: `Bearer ${bearer}` } });

/** The values by their names with labels. */
const valuesOf = (text: string): Record<string, number> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );

it('there are no metrics without METRICS_TOKEN', async () => {
  const server = await startServer();
  const got = await read(server);
  expect([got.status, got.json]).toEqual([404, expect.objectContaining({ code: 'NOT_FOUND' })]);
});

it('who does not have the token gets none', async () => {
  const server = await startServer({ environment: { METRICS_TOKEN: token } });
  expect((await read(server, 'n'.repeat(32))).status).toBe(401);
  expect((await server.send('/metrics')).status).toBe(401);
});

it('numbers of calls and streams, without a word of users', async () => {
  const { server, daemon, script, cookie } = await online({ METRICS_TOKEN: token });
  const first = script.run('read_file', { path: 'secret-plans.txt' });
  await answerNext(daemon);
  await first;
  const open = script.run('read_file', { path: 'secret-plans.txt' });
  const { requestId } = requestOf(await daemon.stream.next());
  const got = await read(server);
  expect(got.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(valuesOf(got.text)).toMatchObject({
    'drawbridge_ended_calls_total{state="succeeded"}': 1,
    'drawbridge_open_calls{state="delivered"}': 1,
    drawbridge_machine_streams: 1,
    drawbridge_draining: 0,
    'drawbridge_agent_runs_total{event="start"}': 0,
    'drawbridge_event_loop_delay_seconds{quantile="0.99"}': expect.any(Number),
  });
  const user = await createPanel(server, cookie).account.me.query();
  for (const text of ['secret-plans', 'owner@', user?.id ?? 'no user']) expect(got.text).not.toContain(text);
  await daemon.respond(requestId, { result: textOf('hello') });
  await open;
});

it('numbers of channels, without a name or a word', async () => {
  const { server, telegram, cookie, panel } = await pairedChannel(undefined, { METRICS_TOKEN: token });
  telegram.say('Hello, secret plans');
  await expect.poll(() => telegram.texts().length).toBe(1);
  telegram.answerFirst('sendMessage', refuse(400, 'Bad Request: no'));
  telegram.say('/whoami');
  const failed = 'drawbridge_channel_replies_total{channel="telegram",state="failed"}';
  await expect.poll(async () => valuesOf((await read(server)).text)[failed]).toBe(1);
  const { text } = await read(server);
  expect(valuesOf(text)).toMatchObject({
    'drawbridge_channel_up{channel="telegram"}': 1,
    'drawbridge_channel_messages_total{channel="telegram"}': 2,
    // With the sentence that they are paired.
    'drawbridge_channel_replies_total{channel="telegram",state="sent"}': 2,
    'drawbridge_channel_waiting_messages{channel="telegram"}': 0,
  });
  for (const word of ['Alice', 'secret plans']) expect(text).not.toContain(word);
  // Among the numbers any digits may be.
  expect(text).not.toMatch(/="[^"]*77/);
  expect(text).not.toContain('teams');
  const rpc = await openPerson(server, cookie);
  const numbers = { isUp: true, waiting: 0, received: 2, sent: 2, failed: 1 };
  const ofServer = { channels: { telegram: numbers }, voice: { speech: [] } };
  expect((await rpc.call('system.metrics')).result).toMatchObject(ofServer);
  const { token: ownToken } = await panel.tokens.create.mutate({ name: 'A', scopes: ['agent'] });
  const limited = await openRpc(server, ownToken);
  expect((await limited.call('system.metrics')).result).not.toHaveProperty('channels');
  expect((await limited.call('system.metrics')).result).not.toHaveProperty('voice');
});
