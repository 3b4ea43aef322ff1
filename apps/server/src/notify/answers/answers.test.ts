import type { NoticeAnswer, PushMessage } from '@drawbridge/contracts/outside/notifications';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedModel } from '../../../../../e2e/agent/scripted-model.ts';
import { signIn } from '../../../test/account.ts';
import { story, use } from '../../../test/agent-turns.ts';
import { machineQuestion, nextCall, threadOf } from '../../../test/agent.ts';
import { connectDaemon } from '../../../test/daemon.ts';
import { createPanel } from '../../../test/panel.ts';
import { decrypt, newSubscription, openPushService } from '../../../test/push-service.ts';
import { cookiesOf, owner, signUpOwner, startServer } from '../../../test/server.ts';
import { createStoppedTime } from '../../../test/stopped-time.ts';
import { invited } from '../../../test/tenants.ts';
import { openDatabase } from '../../db/index.ts';

/** A server with a machine, an agent that asks for a host, and devices of the owner. */
const world = async () => {
  const service = await openPushService();
  const model = await startScriptedModel(
    story([use('fetch-url', { url: 'https://tides.example/' }), { text: 'Done.' }]),
  );
  onTestFinished(model.close);
  const { clock, pass } = createStoppedTime();
  const server = await startServer({
    environment: { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url },
    outside: service.outside,
    clock,
  });
  const cookie = await signUpOwner(server);
  const panel = createPanel(server, cookie);
  const { token } = await panel.gateway.createLink.mutate();
  const daemon = await connectDaemon(server, token);

  /** A browser that is signed in with that cookie, and the notifications that it has got. */
  const device = async (name: string, by = cookie) => {
    const subscription = newSubscription(name);
    const { endpoint } = subscription.json;
    const subscribed = { method: 'POST', headers: { cookie: by }, body: subscription.json };
    expect((await server.send('/webchat/push/subscriptions', subscribed)).status).toBe(200);
    const mine = createPanel(server, by);
    return {
      endpoint,
      panel: mine,
      switchTo: (answers: 'off' | 'deny' | 'once') =>
        mine.notifications.changeDevice.mutate({ endpoint, answers }),
      /** The latest message, once there are so many. */
      message: async (count: number): Promise<PushMessage> => {
        const got = () => service.pushes.filter(({ path }) => path === new URL(endpoint).pathname);
        await expect.poll(() => got().length).toBe(count);
        return decrypt(subscription, got().at(-1)?.body ?? Buffer.of()) as PushMessage;
      },
      answer: (token: string, answer: NoticeAnswer = 'allow') =>
        mine.notifications.answer.mutate({ endpoint, token, answer }),
    };
  };
  /** The machine asks about a new call. */
  const ask = async (question: typeof machineQuestion = machineQuestion) => {
    panel.calls.run.mutate({ name: 'write_file', arguments: { path: 'a' } }).catch(() => {});
    const { requestId } = await nextCall(daemon);
    await daemon.respond(requestId, question);
    return requestId;
  };
  const open = () => panel.confirmations.list.query();
  const deny = async () => {
    const [asked] = await open();
    if (asked) await panel.confirmations.decide.mutate({ confirmationId: asked.id, approved: false });
  };
  const { db, close } = openDatabase({ url: undefined, dataDir: server.dataDir });
  onTestFinished(close);
  return { server, cookie, panel, daemon, service, device, ask, open, deny, pass, db };
};

const shell = {
  result: {
    isError: true,
    content: machineQuestion.result.content.map((one) => ({
      ...one,
      text: one.text.replace('filesystemWrite', 'shell'),
    })),
  },
};
const counts = { isAnswered: true };
const refused = (words: string) => ({ isAnswered: false, text: expect.stringContaining(words) });

it('CF-33 a question has its content and buttons once the owner and the person have switched them on', async () => {
  const { panel, device, ask, open, deny, pass, daemon, server } = await world();
  const phone = await device('phone');
  await phone.switchTo('once');
  await ask();
  expect((await phone.message(1)).ask).toBeUndefined();
  await deny();

  await panel.notifications.configure.mutate({ mostAnswers: 'deny' });
  await ask();
  expect((await phone.message(2)).ask).toMatchObject({ offers: ['deny'] });
  await deny();

  await panel.notifications.configure.mutate({ mostAnswers: 'once' });
  const laptop = await device('laptop');
  const requestId = await ask();
  const { ask: shown, title, id: confirmationId } = await phone.message(3);
  expect(title).toBe('A question waits on desk');
  expect(shown).toMatchObject({
    text: 'Write a (write_file)\nWrite a\nfilesystemWrite: /home/person/project/a\n{"path":"a"}',
    offers: ['allow', 'deny'],
  });
  expect((await laptop.message(1)).ask).toBeUndefined();
  const { token = '' } = shown ?? {};
  expect(server.log.join('')).not.toContain(token);

  expect(await phone.answer(token)).toEqual(refused('Read the question first'));
  pass(600);
  expect(await phone.answer(token)).toEqual({ ...counts, text: 'Allowed once' });
  expect(await nextCall(daemon)).toMatchObject({
    requestId,
    toolCall: { arguments: { path: 'a', _confirmation: 'allowOnce' } },
  });
  expect(await open()).toEqual([]);
  expect(await panel.confirmations.get.query({ confirmationId })).toMatchObject({
    decidedVia: { notification: 'webPush' },
  });
  expect(await phone.answer(token)).toEqual(refused('used before'));
  expect(await phone.answer(token, 'deny')).toEqual(refused('used before'));
});

/** A question that the phone may answer, read for long enough. */
const asked = async () => {
  const all = await world();
  const { panel, device, ask, pass } = all;
  await panel.notifications.configure.mutate({ mostAnswers: 'once' });
  const phone = await device('phone');
  await phone.switchTo('once');
  const requestId = await ask();
  const { ask: shown, id } = await phone.message(1);
  pass(600);
  return { ...all, phone, requestId, id, token: shown?.token ?? '' };
};

it('CF-33 a stolen message answers nothing: without the proof, in another session, by another person or device', async () => {
  const { server, cookie, panel, device, phone, open, token } = await asked();
  const { endpoint } = phone;
  const stolen = (headers: Record<string, string>) =>
    server.send('/trpc/notifications.answer', {
      method: 'POST',
      headers,
      body: { endpoint, token, answer: 'allow' },
    });
  expect((await stolen({})).status).toBe(401);
  expect((await stolen({ cookie, 'x-session-proof': 'dbp_x' })).status).toBe(401);
  expect((await stolen({ cookie, origin: 'https://evil.example' })).status).toBe(403);
  const { token: access } = await panel.tokens.create.mutate({ name: 'a token', scopes: ['chat'] });
  expect((await stolen({ authorization: `Bearer ${access}` })).status).toBe(401);

  const elsewhere = cookiesOf(await signIn(server, owner));
  const other = createPanel(server, elsewhere).notifications;
  const wrong = refused('do not count here');
  expect(await other.answer.mutate({ endpoint, token, answer: 'allow' })).toEqual(wrong);
  await expect(other.device.query({ endpoint })).rejects.toThrow('Not found');
  await expect(other.changeDevice.mutate({ endpoint, answers: 'once' })).rejects.toThrow('Not found');
  const ben = createPanel(server, await invited(server, panel)).notifications;
  expect(await ben.answer.mutate({ endpoint, token, answer: 'allow' })).toEqual(wrong);
  await expect(ben.configure.mutate({ mostAnswers: 'once' })).rejects.toThrow();
  const laptop = await device('laptop');
  await laptop.switchTo('once');
  expect(await laptop.answer(token)).toEqual(wrong);
  expect(await phone.answer('x'.repeat(22))).toEqual(wrong);
  expect(await open()).toHaveLength(1);
  expect(await phone.answer(token, 'deny')).toEqual({ ...counts, text: 'Denied' });
});

it.each<[string, string, (all: Awaited<ReturnType<typeof asked>>) => Promise<unknown>]>([
  ['ten minutes have passed', 'have expired', async ({ pass }) => pass(10 * 60_000)],
  ['the person has switched it off', 'switched off', ({ phone }) => phone.switchTo('off')],
  ['the person allows denying alone', 'switched off', ({ phone }) => phone.switchTo('deny')],
  [
    'the owner has switched it off',
    'switched off',
    ({ panel }) => panel.notifications.configure.mutate({ mostAnswers: 'off' }),
  ],
  [
    'the device is unsubscribed',
    'switched off',
    ({ server, cookie, phone: { endpoint } }) =>
      server.send('/webchat/push/subscriptions', {
        method: 'DELETE',
        headers: { cookie, 'transfer-encoding': 'chunked' },
        body: { endpoint },
      }),
  ],
  ['the panel has answered', 'Denied in Drawbridge.', ({ deny }) => deny()],
  [
    'the question is another one by now',
    'has changed',
    ({ db }) => db.updateTable('pushAnswers').set({ digest: 'of another text' }).execute(),
  ],
])('CF-33 the buttons do not count once %s', async (_when, words, change) => {
  const all = await asked();
  await change(all);
  expect(await all.phone.answer(all.token)).toEqual(refused(words));
  expect(all.server.log.join('')).toContain('an answer from a notification was refused');
});

it('CF-33 two answers at once: one counts', async () => {
  const { phone, token } = await asked();
  const both = await Promise.all([phone.answer(token), phone.answer(token, 'deny')]);
  expect(both.filter(({ isAnswered }) => isAnswered)).toHaveLength(1);
  expect(both).toContainEqual(refused('used before'));
});

it('CF-33 signed out: the device gets nothing and answers nothing; signed in again, it is off', async () => {
  const { server, cookie, phone, device, token } = await asked();
  await server.send('/api/auth/sign-out', { method: 'POST', headers: { cookie }, body: {} });
  await expect(phone.answer(token)).rejects.toThrow('Not signed in');
  const again = cookiesOf(await signIn(server, owner));
  const { endpoint } = await device('phone', again);
  const { notifications } = createPanel(server, again);
  expect(await notifications.device.query({ endpoint })).toEqual({ answers: 'off' });
  expect(await notifications.answer.mutate({ endpoint, token, answer: 'allow' })).toEqual(
    refused('do not count here'),
  );
});

it('CF-33 another session of the same person in this browser begins with no answers', async () => {
  const { server, phone, device, token } = await asked();
  const other = await device('phone', cookiesOf(await signIn(server, owner)));
  const { endpoint } = other;
  expect(await other.panel.notifications.device.query({ endpoint })).toEqual({ answers: 'off' });
  expect(await other.answer(token)).toEqual(refused('do not count here'));
  expect(await phone.answer(token)).toEqual(refused('switched off'));
});

it('CF-33 a question of the shell, and one that does not fit, has neither content nor buttons', async () => {
  const { phone, ask, deny } = await asked();
  await deny();
  await ask(shell);
  expect(await phone.message(2)).toEqual({
    id: expect.any(String),
    title: 'A question waits on desk',
    path: expect.stringContaining('/inbox/'),
  });
});

it("CF-33 the agent's own question is answered too, and its text goes to that device alone", async () => {
  const { server, panel, device, pass } = await world();
  await panel.notifications.configure.mutate({ mostAnswers: 'once' });
  const phone = await device('phone');
  await phone.switchTo('once');
  const { agent } = server.app;
  if (!agent) throw new Error('the agent is on');
  const { say, until } = threadOf(agent, (await panel.account.me.query())?.id ?? '');
  await say('start');
  await until('confirmation-request');
  const { ask } = await phone.message(1);
  expect(ask?.text).toContain('https://tides.example/');
  pass(600);
  expect(await phone.answer(ask?.token ?? '', 'deny')).toEqual({ ...counts, text: 'Denied' });
  expect(await agent.openAsks((await panel.account.me.query())?.id ?? '')).toEqual([]);
});
