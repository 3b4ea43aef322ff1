import { afterEach, beforeEach, expect, it } from 'vitest';
import { agentWorldOf } from '../../../test/fixture-agent.ts';
import { setBench, type Bench } from '../../../test/mounting.ts';
import { useAgentStore } from '../chat/use-agent-store.ts';
import { useHasChat } from './has-chat.ts';

let bench: Bench;
beforeEach(() => localStorage.clear());
afterEach(() => bench.close());

/** A page that is opened: what the menu shows at once, and then. */
const open = async (enabled: boolean) => {
  const status = agentWorldOf({}).status;
  bench = await setBench({ agent: agentWorldOf({ status: { ...status, enabled } }) });
  const hasChat = bench.app.runWithContext(useHasChat);
  const first = hasChat.value;
  await useAgentStore().load();
  return [first, hasChat.value];
};

it('the menu has the chat from the start where it had one, and no longer once the server says so', async () => {
  expect(await open(true)).toEqual([false, true]);
  await bench.close();
  expect(await open(true)).toEqual([true, true]);
  await bench.close();
  expect(await open(false)).toEqual([true, false]);
  await bench.close();
  expect(await open(false)).toEqual([false, false]);
});
