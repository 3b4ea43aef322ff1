import { createPerson, setupToken, startServer, type Person } from '@drawbridge/e2e/harness';
import { sleep, systemClock } from '@drawbridge/kit';
import { startChatPlatform } from '../chat-platform.ts';
import { ratio, type Group, type Stage } from '../group.ts';
import { nowMs } from '../load.ts';
import { heldBytes, memoryFlags } from '../processes.ts';
import { middleOf } from '../spread.ts';
import { startModel } from './agent-load.ts';

const mebibyte = 1024 ** 2;
/** What a sender may write in a minute is 20: of one that is new in each round. */
const quietMessages = 6;
const floodMessages = 12;
const floodMs = 10_000;
const messages = 1_000;
const strangers = 300;

const invited = async (owner: Person, url: string): Promise<Person> => {
  const { url: link } = await owner.api.invitations.create.mutate();
  const person = createPerson(url);
  await person.api.invitations.accept.mutate({
    invitationToken: link.split(/[=#/]/).at(-1) ?? '',
    name: 'Ben',
    email: 'ben@example.org',
    password: setupToken,
  });
  return person;
};

/** Two people with senders of their own, of which one is flooded. */
const openChats = async ({ processes, scaled, whenOver }: Stage) => {
  const model = await startModel(20);
  const platform = await startChatPlatform();
  whenOver(model.close);
  whenOver(platform.close);
  const env = { AGENT_MODEL: 'stub', AGENT_MODEL_URL: model.url, ...platform.environment };
  const server = await startServer(processes, { LOG_LEVEL: 'info', ...env }, memoryFlags);
  const ann = await server.createOwner();
  const ben = await invited(ann, server.url);
  let senders = 1_000;
  let asked = 0;

  const pair = async ({ api }: Person): Promise<number> => {
    const sender = (senders += 1);
    const { code } = await api.channels.codes.create.mutate({ kind: 'telegram' });
    const answer = platform.next(sender);
    platform.say(sender, `/start ${code}`);
    if (!(await answer).includes('You are paired')) throw new Error('the sender is not paired');
    return sender;
  };
  const remove = ({ api }: Person, sender: number) =>
    api.channels.senders.remove.mutate({ kind: 'telegram', senderId: String(sender) });
  /** How long each of some messages takes until it is answered. */
  const answersTo = async (sender: number, count: number, everyMs: number): Promise<number[]> => {
    const times: number[] = [];
    for (let n = 0; n < count; n += 1) {
      const answer = platform.next(sender);
      const startMs = nowMs();
      platform.say(sender, `Message ${n}`);
      await answer;
      times.push(nowMs() - startMs);
      await sleep(systemClock, everyMs, new AbortController().signal);
    }
    return times;
  };
  const held = () => heldBytes(server.process(), (asked += 1));

  const flood = async (sender: number): Promise<void> => {
    const count = scaled(messages);
    const startMs = nowMs();
    let sent = 0;
    let known = 0;
    await new Promise<void>((resolve) => {
      const stop = systemClock.every(50, () => {
        const share = Math.min(1, (nowMs() - startMs) / scaled(floodMs));
        for (; sent < share * count; sent += 1) platform.say(sender, `Flood ${sent}`);
        for (; known < share * strangers; known += 1) platform.say((senders += 1), 'Who is this?');
        if (share < 1) return;
        stop();
        resolve();
      });
    });
  };

  return async () => {
    const [flooder, quiet] = [await pair(ann), await pair(ben)];
    const bare = await answersTo(quiet, quietMessages, 50);
    const before = await held();
    const flooded = flood(flooder);
    const every = scaled(floodMs) / floodMessages;
    const ours = await answersTo(quiet, floodMessages, every / 2);
    await flooded;
    await platform.settled();
    const bytes = (await held()) - before;
    await remove(ann, flooder);
    await remove(ben, quiet);
    return { ours, bare, bytes };
  };
};

/** What a flood of one sender and of strangers costs another person, and the server. */
export const channelsGroup: Group<'beside' | 'longest' | 'memory'> = {
  name: 'channels',
  rows: {
    beside: ratio(
      'a message in a chat channel until its answer, in a flood of 1,000 messages of one sender and 300 strangers in 10 s, against without: p50',
      'ms',
      { atMost: 2 },
    ),
    longest: {
      measure: 'the same: the longest that one takes in the flood beyond the middle without',
      kind: 'number',
      unit: 'ms',
      goal: { atMost: 2_000 },
    },
    memory: {
      measure: 'the same: memory of the server after the flood, above before',
      kind: 'number',
      unit: 'MiB',
      goal: { atMost: 32 },
    },
  },
  givenUpMs: 240_000,
  open: async (stage) => {
    const round = await openChats(stage);
    // The first messages also load code, and make the first chats.
    await round();
    return async () => {
      const { ours, bare, bytes } = await stage.inRow('beside', round);
      const [middle, quiet] = [middleOf(ours), middleOf(bare)];
      return {
        beside: { ours: middle, bare: quiet },
        longest: { ours: Math.max(...ours) - quiet },
        memory: { ours: bytes / mebibyte },
      };
    };
  },
};
