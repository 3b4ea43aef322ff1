import { CodedError, createFakeClock } from '@drawbridge/kit';
import { expect, it, vi } from 'vitest';
import { rowsStore } from '../../../test/rows-store.ts';
import { notAttended, type Held } from '../../engine/driving.ts';
import type { LaneRequest, RequestEnd, RequestEvent } from '../../engine/lanes/request.ts';
import { gone } from './asked.ts';
import { readReply, writeReply } from './reply.ts';
import { createServing } from './serve.ts';

const queued = { type: 'queued', position: 1, behind: 'run' } as const;
const merged = { type: 'merged', runId: 'run_1', into: 'msg_1' } as const;
const steered = { type: 'steered', runId: 'run_1', into: 'msg_1' } as const;

const coded = (error: unknown) => new CodedError('STORE_UNAVAILABLE', String(error));

/** A message that goes on at this server, of which this has happened here. */
const requestOf = (...events: RequestEvent[]): LaneRequest => ({
  requestId: 'msg_2',
  done: new Promise(() => {}),
  listen: (listener) => {
    for (const event of events) listener(event);
    return () => {};
  },
});

const place = { userId: 'ann', threadId: 't1' };
const row = { ...place, id: 'msg_2', kind: 'send', body: '{}', senderId: 'one', createdAt: 0 };

/** What the sender reads after a driver with these events has continued an accepted message. */
const readAfter = async (before: RequestEvent[], ...happened: RequestEvent[]) => {
  const reply = writeReply({ value: 'msg_2', events: before });
  const store = rowsStore({ agentCommands: [{ ...row, state: 'accepted', reply }] });
  const replied = Promise.withResolvers<void>();
  const { serve } = createServing({
    servers: { replied: () => replied.resolve(), coded },
    run: async () => ({ request: requestOf(...happened) }),
    clock: createFakeClock(),
    onError: replied.reject,
  });
  // The rest is for who drives.
  const held = { ...place, driven: { wakes: 0 }, ctx: { store }, lost: new AbortController().signal };
  serve(held as unknown as Held);
  await replied.promise;
  const [after] = await store.find('agentCommands', place);
  return readReply(after?.reply ?? '').events;
};

it('the end of a message that could not be stored is stored in the next round', async () => {
  const store = rowsStore({ agentCommands: [{ ...row, state: 'accepted', reply: writeReply({}) }] });
  const end = Promise.withResolvers<RequestEnd>();
  const errors: unknown[] = [];
  const { serve } = createServing({
    servers: { replied: () => {}, coded },
    run: async () => ({ request: { ...requestOf(), done: end.promise } }),
    clock: createFakeClock(),
    onError: (error) => errors.push(error),
  });
  const commit = vi.fn(store.commit);
  const driven = { wakes: 0 };
  const held = { ...place, driven, ctx: { store: { ...store, commit } }, lost: new AbortController().signal };
  const replied = async () => readReply((await store.find('agentCommands', place))[0]?.reply ?? '');
  serve(held as unknown as Held);
  await expect.poll(replied).toMatchObject({ value: 'msg_2' });
  commit.mockRejectedValueOnce(new Error('The store is away'));
  end.resolve(gone);
  await expect.poll(() => errors.length).toBe(1);
  expect(driven.wakes).toBe(notAttended);
  serve(held as unknown as Held);
  await expect.poll(replied).toMatchObject({ end: gone });
});

it('a message that was accepted, and that a driver cannot continue yet, is tried again, not refused', async () => {
  const reply = writeReply({ value: 'msg_2', events: [queued] });
  const store = rowsStore({ agentCommands: [{ ...row, state: 'accepted', reply }] });
  const away = new CodedError('STORE_UNAVAILABLE', 'The store is away');
  const run = vi.fn(async () => ({ request: { ...requestOf(), done: Promise.resolve(gone) } }));
  const errors: unknown[] = [];
  const { serve } = createServing({
    servers: { replied: () => {}, coded },
    run: run.mockRejectedValueOnce(away),
    clock: createFakeClock(),
    onError: (error) => errors.push(error),
  });
  const driven = { wakes: 0 };
  const held = { ...place, driven, ctx: { store }, lost: new AbortController().signal };
  serve(held as unknown as Held);
  await expect.poll(() => errors).toEqual([away]);
  expect(driven.wakes).toBe(notAttended);
  expect(await store.find('agentCommands', place)).toMatchObject([{ state: 'accepted', reply }]);
  serve(held as unknown as Held);
  const replied = async () => readReply((await store.find('agentCommands', place))[0]?.reply ?? '');
  await expect.poll(replied).toMatchObject({ end: gone });
});

it('a command that the store has not let it do is answered with what its caller may know', async () => {
  const clock = createFakeClock();
  const open = { ...row, state: 'open', reply: null, createdAt: clock.now() } as const;
  const store = rowsStore({ agentCommands: [open] });
  const failure = new Error('The store is away');
  const errors: unknown[] = [];
  const { serve } = createServing({
    servers: { replied: () => {}, coded },
    run: () => Promise.reject(failure),
    clock,
    onError: (error) => errors.push(error),
  });
  const held = { ...place, driven: { wakes: 0 }, ctx: { store }, lost: new AbortController().signal };
  serve(held as unknown as Held);
  const replied = async () => (await store.find('agentCommands', place))[0]?.reply;
  await expect.poll(replied).toContain('STORE_UNAVAILABLE');
  expect(errors).toEqual([failure]);
});

it('a driver that takes over adds to the events that the sender has', async () => {
  expect(await readAfter([queued], steered)).toEqual([queued, steered]);
  expect(await readAfter([queued], { ...queued, position: 2 }, steered)).toEqual([queued, steered]);
  expect(await readAfter([queued, steered], steered)).toEqual([queued, steered]);
  expect(await readAfter([steered], queued)).toEqual([steered, queued]);
  expect(await readAfter([queued, merged], queued)).toEqual([queued, merged]);
  const started = { type: 'started', runId: 'run_1', afterSeq: 4 } as const;
  expect(await readAfter([started], { ...started, afterSeq: 9 })).toEqual([started]);
  expect(await readAfter([queued, started], queued)).toEqual([queued, started]);
});
