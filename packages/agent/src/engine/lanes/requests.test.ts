import { expect, it } from 'vitest';
import type { RequestEvent } from './request.ts';
import { createRequests } from './requests.ts';

it('says once what happens once, and again what may happen again', () => {
  const requests = createRequests((error) => expect.unreachable(String(error)));
  const request = requests.open({
    ...{ requestId: 'msg_1', userId: 'ann', threadId: 't1' },
    place: { at: 'run', runId: 'run_1', how: 'own' },
  });
  const heard: RequestEvent['type'][] = [];
  request.listen(({ type }) => heard.push(type));
  const queued = { type: 'queued', behind: 'run' } as const;
  const started = { type: 'started', runId: 'run_1', afterSeq: 4 } as const;
  const notice = { type: 'notice', text: 'Wait' } as const;
  for (const event of [
    { ...queued, position: 2 },
    { ...queued, position: 1 },
    started,
    started,
    notice,
    notice,
  ])
    requests.publish('msg_1', event);
  for (const _click of [1, 2]) requests.publish('msg_1', { type: 'cancel-requested' });
  expect(heard).toEqual(['queued', 'queued', 'started', 'notice', 'notice', 'cancel-requested']);
});
