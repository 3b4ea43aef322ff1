import type { ServerResponse } from 'node:http';
import { sleep, systemClock } from '@drawbridge/kit';
import { expect, it, onTestFinished } from 'vitest';
import { openMac, refuseMac } from '../apps/server/test/bluebubbles.ts';
import { openTelegram, refuse } from '../apps/server/test/telegram.ts';
import { startScriptedModel, type ScriptedRequest } from './agent/scripted-model.ts';
import { createProcesses, startServer, until } from './harness/index.ts';
import { createRandom } from './harness/random.ts';

const forMs = Number(process.env['CHANNEL_FAULTS_MS'] ?? 30_000);
const seed = Number(process.env['CHANNEL_FAULTS_SEED'] ?? 1);
/** A sender may write 20 messages in a minute. */
const everyMs = 3_200;

const marksIn = (text: string): string[] => text.match(/mark-[tb]\d+/g) ?? [];

/** What the person has written since the last answer. */
const newMarks = ({ body: { messages } }: ScriptedRequest): string[] => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return [...new Set(marksIn(JSON.stringify(messages.slice(last + 1))))];
};

const breakOff = (reply: ServerResponse) => void reply.destroy();

it(
  `CH-36 Telegram asked and iMessage posting, with kills and faults of both for ${forMs} ms, seed ${seed}`,
  async () => {
    const random = createRandom(seed);
    const programs = createProcesses();
    onTestFinished(() => programs.stopAll());
    const [telegram, mac] = [await openTelegram(), await openMac()];
    const model = await startScriptedModel(async (request) => {
      if (request.tools.length === 0) return { text: 'Title' };
      await sleep(systemClock, random.whole(0, 800));
      return { text: `Read ${newMarks(request).join(' ')}` };
    });
    const server = await startServer(programs, {
      AGENT_MODEL: 'stub',
      AGENT_MODEL_URL: model.url,
      ...telegram.environment,
      ...mac.environment,
    });
    const { api } = await server.createOwner();
    const { channels } = api;
    await channels.configure.mutate({ kind: 'bluebubbles', isOn: true, mode: 'webhook' });
    const post = async (data: object): Promise<void> => {
      const hook = mac.webhooks().at(-1)?.url;
      const body = JSON.stringify({ type: 'new-message', data });
      const headers = { 'content-type': 'application/json' };
      // The Mac posts once, whatever comes back.
      if (hook) await fetch(hook, { method: 'POST', headers, body }).catch(() => undefined);
    };
    const telegramCode = await channels.codes.create.mutate({ kind: 'telegram' });
    telegram.say(`/start ${telegramCode.code}`);
    await until(async () => telegram.texts().at(-1)?.includes('You are paired'));
    await until(async () => mac.webhooks().length > 0);
    await post(mac.say((await channels.codes.create.mutate({ kind: 'bluebubbles' })).code));
    await until(async () => mac.texts().at(-1)?.includes('You are paired'));

    const sent = { t: 0, b: 0 };
    let kills = 0;
    const endsAt = systemClock.now() + forMs;
    const writing = async () => {
      for (; systemClock.now() < endsAt; await sleep(systemClock, everyMs)) {
        const update = telegram.message(`mark-t${(sent.t += 1)}`);
        // The same update, once or twice, also in another batch.
        const update_id = 500_000 + sent.t;
        telegram.deliver({ update_id, ...update });
        if (random.chance(0.3)) telegram.deliver({ update_id, ...update });
        const one = mac.say(`mark-b${(sent.b += 1)}`);
        if (random.chance(0.8)) await post(one);
        if (random.chance(0.3)) await post(one);
      }
    };
    const breaking = async () => {
      for (; systemClock.now() < endsAt; await sleep(systemClock, random.whole(1_000, 4_000))) {
        const method = random.pick(['sendMessage', 'getUpdates', 'sendChatAction']);
        const wait = refuse(429, 'Too Many Requests', { retry_after: 1 });
        telegram.answerFirst(method, random.pick([wait, refuse(502, 'Bad Gateway'), breakOff]));
        mac.answerFirst(
          random.pick(['message/text', 'message/query']),
          random.pick([refuseMac(500, 'busy'), breakOff]),
        );
        if (!random.chance(0.5)) continue;
        await server.end('SIGKILL');
        kills += 1;
        if (random.chance(0.3)) await sleep(systemClock, random.whole(500, 3_000));
        await server.restart();
      }
    };
    await Promise.all([writing(), breaking()]);
    const marks = (of: 't' | 'b') => Array.from({ length: sent[of] }, (_, at) => `mark-${of}${at + 1}`);
    const answered = (texts: string[]) => texts.flatMap(marksIn);
    await until(async () => {
      const [t, b] = [answered(telegram.texts()), answered(mac.texts())];
      return marks('t').every((one) => t.includes(one)) && marks('b').every((one) => b.includes(one));
    });

    // Each message is in its chat once: it had one run.
    const { threads } = await api.agent.threads.list.query({ limit: 10 });
    const runs: string[] = [];
    for (const { id: threadId } of threads) {
      const { view } = await api.agent.messages.query({ threadId, limit: 200 });
      runs.push(...Object.values(view.messages).flatMap(({ text }) => marksIn(text)));
    }
    expect(runs.toSorted()).toEqual([...marks('t'), ...marks('b')].toSorted());
    const all = [...answered(telegram.texts()), ...answered(mac.texts())];
    const twice = all.length - new Set(all).size;
    expect(twice).toBeLessThanOrEqual(kills);
    console.info({ ...sent, kills, twice });
    await model.close();
  },
  forMs + 240_000,
);
