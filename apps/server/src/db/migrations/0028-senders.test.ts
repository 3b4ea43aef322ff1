import { expect, it } from 'vitest';
import { openAgentStore } from '../../../test/agent-store.ts';
import { agentRow, messageRow, runRow, threadRow } from '../../../../../packages/agent/test/rows.ts';
import { insert } from '@drawbridge/agent';
import { senders } from './0028-senders.ts';

it('takes the messages of earlier versions for those of an unknown sender, and their chats for tainted', async () => {
  const { db, find, write } = await openAgentStore();
  const run = (id: string, sender: string) =>
    insert('agentRuns', runRow('ann', id, { sender, state: 'completed' }));
  await write(
    insert('agentThreads', threadRow('ann', 't1')),
    run('run_1', 'person'),
    run('run_2', 'hook:deploys'),
    // Of another user, with the same id.
    insert('agentRuns', runRow('ben', 'run_1', { sender: 'hook:other', state: 'completed' })),
    insert('agentAgents', agentRow('ann', 'ag_1')),
    insert('agentMessages', messageRow('ann', 1)),
    insert('agentMessages', messageRow('ann', 2, { source: 'model', role: 'assistant' })),
    insert('agentMessages', messageRow('ann', 3, { source: 'note' })),
    insert('agentMessages', messageRow('ann', 4, { runId: 'run_2' })),
  );
  // As an earlier version has left it: an access token was then written down as the person.
  await db.schema.alterTable('agentMessages').dropColumn('sender').execute();
  await senders.up(db);
  const messages = await find('agentMessages', { userId: 'ann' }, { orderBy: 'seq' });
  expect(messages.map(({ sender }) => sender)).toEqual(['unknown', 'model', 'server', 'hook:deploys']);
  expect((await find('agentAgents', { userId: 'ann' })).map(({ tainted }) => tainted)).toEqual([true]);
});
