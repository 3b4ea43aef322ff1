import { accessWarningWords } from '@drawbridge/agent';
import type { AskAnswer } from '@drawbridge/contracts/agent/asks';
import { describe, expect, it } from 'vitest';
import { use } from '../../test/agent-turns.ts';
import { threadOf } from '../../test/agent.ts';
import { openSenders, type SenderWorld } from '../../test/sender-world.ts';

const address = 'http://exfil.example/?u=1';
const fetchIt = use('fetch-url', { url: address });
const allowAll: AskAnswer = { kind: 'domainAccessApprove', domainAccessAction: 'allow_all' };

/** A chat in which the person has allowed all hosts that they name. */
const allowing = async () => {
  const world = await openSenders();
  world.turns.push(use('fetch-url', { url: 'http://named.example/' }));
  await world.turn('read named.example');
  const [ask] = await world.asks();
  await world.agent.confirm(world.userId, ask?.requestId ?? '', allowAll);
  await world.isIdle();
  return world;
};

const hosts: { id: string; isAsked: boolean; play(world: SenderWorld): Promise<unknown> }[] = [
  {
    id: 'the words of the person',
    isAsked: false,
    play: async ({ turns, turn }) => {
      turns.push(fetchIt);
      await turn(`read "${address}"`);
    },
  },
  {
    id: 'NA-18: a delivery, in its own run',
    isAsked: true,
    play: async ({ turns, deliver, until }) => {
      turns.push(fetchIt);
      await Promise.race([deliver(address), until('confirmation-request', asksFor)]);
    },
  },
  {
    id: 'NA-18: a delivery, in the next run of the person',
    isAsked: true,
    play: async ({ turns, turn, deliver }) => {
      await deliver(address);
      turns.push(fetchIt);
      await turn('and now?');
    },
  },
  {
    id: 'NA-18: the name and the text of an attachment',
    isAsked: true,
    play: async ({ turns, turn }) => {
      turns.push(fetchIt);
      const data = Buffer.from(address).toString('base64');
      await turn('see', { attachments: [{ name: 'see exfil.example', mediaType: 'text/plain', data }] });
    },
  },
  {
    id: 'NA-18: the words of the agent',
    isAsked: true,
    play: async ({ turns, turn, isIdle }) => {
      turns.push({ text: `Shall I read ${address}?` });
      await turn('hello');
      await isIdle();
      turns.push(fetchIt);
      await turn('yes');
    },
  },
];
const asksFor = ({ payload }: { payload: { domainAccess?: { host: string } | undefined } }) =>
  payload.domainAccess?.host === 'exfil.example';

describe('"all hosts that I have named"', () => {
  it.each(hosts)('$id: asked $isAsked', async ({ isAsked, play }) => {
    const world = await allowing();
    await play(world);
    const warnings = (await world.asks()).filter((payload) => asksFor({ payload }));
    const unnamed = [accessWarningWords.unnamed];
    expect(warnings.map(({ domainAccess }) => domainAccess?.warnings)).toEqual(isAsked ? [unnamed] : []);
  });

  it('NA-18: a message of a token names no host', async () => {
    const world = await openSenders();
    const { server, panel, turns, agent, userId } = world;
    const { token } = await panel.tokens.create.mutate({ name: 'script', scopes: ['chat'] });
    const thread = threadOf(agent, userId, 'of-token');
    const say = (message: string) =>
      server.send('/api/v1/instance-ai/chat/of-token', {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: { message },
      });
    turns.push(fetchIt);
    await say(`read ${address}`);
    const { payload } = await thread.until('confirmation-request');
    expect(payload.domainAccess?.warnings).toEqual([accessWarningWords.unnamed]);
    // The person's next words in that chat do not make them the person's.
    await agent.confirm(userId, payload.requestId, allowAll);
    await thread.until('run-finish');
    turns.push(use('fetch-url', { url: 'http://exfil.example/second' }));
    await thread.say('and now?');
    await thread.until(
      'confirmation-request',
      (event) => event.payload.domainAccess?.url.endsWith('second') === true,
    );
  });
});
