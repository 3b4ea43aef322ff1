import { callIdPrefixOf } from '@drawbridge/contracts/calls';
import { systemClock } from '@drawbridge/kit';
import { nanoid } from 'nanoid';
import { expect, it } from 'vitest';
import { connectDaemon, requestOf } from '../../../test/daemon.ts';
import { createPanel, guestOf } from '../../../test/panel.ts';
import { signUpOwner, startServer } from '../../../test/server.ts';

const start = async () => {
  const server = await startServer();
  const owner = createPanel(server, await signUpOwner(server));
  const daemon = await connectDaemon(server, (await owner.gateway.createLink.mutate()).token);
  const { id = '' } = (await owner.account.me.query()) ?? {};
  const requestId = callIdPrefixOf(systemClock.now(), id) + nanoid(22);
  return { server, owner, daemon, requestId };
};
const read = { name: 'read_file', arguments: { path: 'a.txt' } };
const result = { content: [{ type: 'text' as const, text: 'hello' }] };

it('a call has the id that its caller gave it, and the same call again follows it', async () => {
  const { owner, daemon, requestId } = await start();
  const first = owner.calls.run.mutate({ ...read, requestId });
  expect(requestOf(await daemon.stream.next()).requestId).toBe(requestId);
  const second = owner.calls.run.mutate({ ...read, requestId });
  await daemon.respond(requestId, { result });
  const third = owner.calls.run.mutate({ ...read, requestId });
  const calls = await Promise.all([first, second, third]);
  expect(calls.map((call) => [call.requestId, call.state])).toEqual(
    Array.from({ length: 3 }, () => [requestId, 'succeeded']),
  );
  expect((await owner.calls.list.query({})).calls).toHaveLength(1);
});

it('two requests at once with one id make one call', async () => {
  const { owner, daemon, requestId } = await start();
  const both = [1, 2].map(() => owner.calls.run.mutate({ ...read, requestId }));
  expect(requestOf(await daemon.stream.next()).requestId).toBe(requestId);
  await daemon.respond(requestId, { result });
  expect((await Promise.all(both)).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  expect((await owner.calls.list.query({})).calls).toHaveLength(1);
});

it('the same call again follows one of which long arguments are not kept', async () => {
  const { owner, daemon, requestId } = await start();
  const write = { name: 'write_file', arguments: { path: 'a.txt', content: 'x'.repeat(70_000) }, requestId };
  const first = owner.calls.run.mutate(write);
  await daemon.stream.next();
  await daemon.respond(requestId, { result });
  await first;
  expect(await owner.calls.run.mutate(write)).toMatchObject({ requestId, state: 'succeeded' });
  const other = { ...write, arguments: { path: 'a.txt', content: 'y'.repeat(70_000) } };
  await expect(owner.calls.run.mutate(other)).rejects.toMatchObject({
    data: { code: 'IDEMPOTENCY_KEY_REUSED' },
  });
});

it.each([
  ['tool', { name: 'write_file' }],
  ['argument', { arguments: { path: 'b.txt' } }],
])('an id of a call with another %s is refused', async (_, change) => {
  const { owner, daemon, requestId } = await start();
  const first = owner.calls.run.mutate({ ...read, requestId });
  await daemon.stream.next();
  await expect(owner.calls.run.mutate({ ...read, ...change, requestId })).rejects.toMatchObject({
    data: { code: 'IDEMPOTENCY_KEY_REUSED', httpStatus: 422 },
  });
  await daemon.respond(requestId, { result });
  await first;
});

it('US-05 an id of another user’s call is answered as one that no call has, and attaches to nothing', async () => {
  const { server, owner, daemon, requestId } = await start();
  const first = owner.calls.run.mutate({ ...read, requestId });
  await daemon.stream.next();
  const cookie = await guestOf(server, owner);
  const guest = createPanel(server, cookie);
  await connectDaemon(server, (await guest.gateway.createLink.mutate()).token);
  const answerTo = async (id: string) =>
    guest.calls.run.mutate({ ...read, requestId: id }).then(
      () => 'made',
      (error: { message: string; data: unknown }) => [error.message, error.data],
    );
  const unused = requestId.slice(0, -1) + (requestId.endsWith('x') ? 'y' : 'x');
  const refused = await answerTo(unused);
  expect(refused).toMatchObject([expect.stringContaining('requestId'), { code: 'BAD_REQUEST' }]);
  expect(await answerTo(requestId)).toEqual(refused);
  await daemon.respond(requestId, { result });
  await first;
  expect(await answerTo(requestId)).toEqual(refused);
  expect((await guest.calls.list.query({})).calls).toEqual([]);
});
