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
    // Of a server that continues the run, and remembers the request from its beginning.
    { ...queued, position: 1 },
  ])
    requests.publish('msg_1', event);
  for (const _click of [1, 2]) requests.publish('msg_1', { type: 'cancel-requested' });
  expect(heard).toEqual(['queued', 'queued', 'started', 'notice', 'notice', 'cancel-requested']);
});

it('who opens a request that is open waits for the same end, and is told what happened before', async () => {
  const requests = createRequests((error) => expect.unreachable(String(error)));
  const named = { requestId: 'msg_1', userId: 'ann', threadId: 't1' };
  const first = requests.open({ ...named, place: { at: 'waiting' } });
  requests.publish('msg_1', { type: 'queued', behind: 'run', position: 1 });
  const second = requests.open({ ...named, place: { at: 'run', runId: 'run_1', how: 'own' } });
  expect(requests.get('msg_1')?.place).toMatchObject({ at: 'run' });
  const heard: RequestEvent['type'][] = [];
  second.listen(({ type }) => heard.push(type));
  requests.end('msg_1', {
    outcome: 'cancelled',
    runId: null,
    content: '',
    isForced: false,
    isReplayed: false,
  });
  expect(heard).toEqual(['queued']);
  const open = 'still open';
  for (const { done } of [first, second])
    expect(await Promise.race([done, Promise.resolve().then(() => open)])).toMatchObject({
      outcome: 'cancelled',
    });
});
