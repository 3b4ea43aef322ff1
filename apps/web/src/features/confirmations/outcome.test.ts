import { expect, it } from 'vitest';
import { confirmationOf } from '../../../test/worlds.ts';
import { outcomeOf } from './outcome.ts';

it('says where a question was answered', () => {
  const allowed = { state: 'decided', approved: true, decision: 'allowOnce', decidedBy: 'ada' } as const;
  const decidedVia = { channel: 'telegram', senderId: '77' } as const;
  expect(outcomeOf(confirmationOf(allowed)).text).toBe('Allowed');
  expect(outcomeOf(confirmationOf({ ...allowed, decidedVia })).text).toBe('Allowed, from Telegram');
  const byNotice = confirmationOf({ ...allowed, decidedVia: { notification: 'webPush' } });
  expect(outcomeOf(byNotice, ' by you').text).toBe('Allowed by you, from a notification');
});
