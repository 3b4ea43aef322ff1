import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { sleep, systemClock } from '@drawbridge/kit';
import Database from 'libsql';
import { onTestFinished } from 'vitest';
import { openMac, refuseMac } from '../apps/server/test/bluebubbles.ts';
import { mountSmallDisk } from '../apps/server/test/small-disk.ts';
import { openTelegram, refuse } from '../apps/server/test/telegram.ts';
import { startScriptedModel, type ScriptedRequest } from './agent/scripted-model.ts';
import { createProcesses, startServer, until } from './harness/index.ts';
import { createRandom, type Random } from './harness/random.ts';

/** A sender may write 20 messages in a minute. */
const everyMs = 3_200;
const diskMebibytes = 256;

const marksIn = (text: string): string[] => text.match(/mark-[tb]\d+/g) ?? [];

/** What the person has written since the last answer. */
const newMarks = ({ body: { messages } }: ScriptedRequest): string[] => {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return [...new Set(marksIn(JSON.stringify(messages.slice(last + 1))))];
};

const breakOff = (reply: ServerResponse) => void reply.destroy();

/** A server on a disk of its own where that is permitted, with both platforms and a paired person of each. */
const openWorld = async (random: Random) => {
  const programs = createProcesses();
  const disk = mountSmallDisk(diskMebibytes);
  const [telegram, mac] = [await openTelegram(), await openMac()];
  const model = await startScriptedModel(async (request) => {
    if (request.tools.length === 0) return { text: 'Title' };
    await sleep(systemClock, random.whole(0, 800));
    return { text: `Read ${newMarks(request).join(' ')}` };
  });
  onTestFinished(async () => {
    await programs.stopAll();
    await model.close();
    disk?.remove();
  });
  const server = await startServer(programs, {
    AGENT_MODEL: 'stub',
    AGENT_MODEL_URL: model.url,
    ...telegram.environment,
    ...mac.environment,
    ...(disk && { DATA_DIR: disk.folder }),
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
  return { telegram, mac, server, api, post, disk, folder: disk?.folder ?? server.dataDir };
};
type World = Awaited<ReturnType<typeof openWorld>>;

/** Messages of both people: repeated, out of order, and posts that are lost. */
const createWriting = ({ telegram, mac, post }: World, random: Random) => {
  const written: string[] = [];
  const write = async (endsAt: number): Promise<void> => {
    for (let at = 1; systemClock.now() < endsAt; at += 1) {
      written.push(`mark-t${at}`, `mark-b${at}`);
      const update = { update_id: 500_000 + 2 * at, ...telegram.message(`mark-t${at}`) };
      const nothing = { update_id: update.update_id - 1, edited_message: {} };
      telegram.deliver(...(random.chance(0.3) ? [update, nothing] : [nothing, update]));
      if (random.chance(0.3)) telegram.deliver(update);
      const one = mac.say(`mark-b${at}`);
      if (random.chance(0.8)) await post(one);
      if (random.chance(0.3)) await post(one);
      await sleep(systemClock, everyMs);
    }
  };
  return { written, write };
};

/** The position that is stored is gone, as if it was never read. */
const loseCursor = (folder: string): void => {
  const store = new Database(join(folder, 'drawbridge.db'));
  store.prepare('update channelAccounts set cursor = null').run();
  store.close();
};

const createFaults = (world: World, random: Random, plant: string | null) => {
  const { telegram, mac, server, disk, folder } = world;
  const counts = { kills: 0, away: 0, fullDisk: 0 };
  /** Where a start began to read, each with the position before it. */
  const starts: { before: number; at: number }[] = [];

  const refuseSome = () => {
    const wait = refuse(429, 'Too Many Requests', { retry_after: 1 });
    const answer = random.pick([wait, refuse(502, 'Bad Gateway'), breakOff]);
    telegram.answerFirst(random.pick(['sendMessage', 'getUpdates', 'sendChatAction']), answer);
    const ofMac = random.pick([refuseMac(500, 'busy'), breakOff]);
    mac.answerFirst(random.pick(['message/text', 'message/query']), ofMac);
  };
  const kill = async () => {
    await server.end('SIGKILL');
    counts.kills += 1;
    starts.push({
      before: Math.max(0, ...telegram.offsets.map((one) => one ?? 0)),
      at: telegram.offsets.length,
    });
    if (plant === 'cursor') loseCursor(folder);
    if (random.chance(0.3)) await sleep(systemClock, random.whole(500, 3_000));
    await server.restart();
  };
  const goAway = async () => {
    counts.away += 1;
    telegram.setAway(true);
    await sleep(systemClock, random.whole(1_000, 5_000));
    telegram.setAway(false);
  };
  const fillDisk = async () => {
    if (disk === null) return;
    counts.fullDisk += 1;
    disk.fill();
    await sleep(systemClock, random.whole(1_000, 3_000));
    disk.empty();
  };
  return {
    counts,
    /** Starts that asked Telegram for what was confirmed before. */
    behind: () =>
      starts.filter(({ before, at }) => at < telegram.offsets.length && (telegram.offsets[at] ?? 0) < before),
    breakThings: async (endsAt: number): Promise<void> => {
      for (; systemClock.now() < endsAt; await sleep(systemClock, random.whole(1_000, 4_000))) {
        refuseSome();
        const what = random.pick(['kill', 'kill', 'away', 'disk', 'nothing']);
        if (what === 'kill') await kill();
        else if (what === 'away') await goAway();
        else if (what === 'disk') await fillDisk();
      }
    },
  };
};

/** Telegram asked and iMessage posting, and what goes wrong around them. */
export const openChannelFaults = async (seed: number, plant: string | null) => {
  const random = createRandom(seed);
  const world = await openWorld(random);
  const { written, write } = createWriting(world, random);
  const { counts, behind, breakThings } = createFaults(world, random, plant);
  const { telegram, mac, api } = world;
  const answered = () => [...telegram.texts(), ...mac.texts()].flatMap(marksIn);
  return {
    written,
    counts,
    write,
    breakThings,
    /** Messages without an answer. */
    missing: () => written.filter((mark) => !answered().includes(mark)),
    /** `runs`: messages of all chats; `twice`: answers beyond the first; `behind`: starts that read too early. */
    check: async () => {
      const all = answered();
      const { threads } = await api.agent.threads.list.query({ limit: 10 });
      const runs: string[] = [];
      for (const { id: threadId } of threads) {
        for (let before: string | null | undefined = undefined; before !== null;) {
          const page = await api.agent.messages.query({ threadId, limit: 50, ...(before && { before }) });
          runs.push(...Object.values(page.view.messages).flatMap(({ text }) => marksIn(text)));
          before = page.before;
        }
      }
      return {
        runs,
        twice: all.length - new Set(all).size,
        behind: behind(),
      };
    },
  };
};
