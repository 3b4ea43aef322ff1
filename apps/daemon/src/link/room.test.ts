import { expect, it } from 'vitest';
import { createRoom } from './room.ts';

const never = new AbortController().signal;

it('gives its places away in the order in which they were asked for', async () => {
  const room = createRoom(2);
  const entered: string[] = [];
  const enter = async (name: string) => {
    const leave = await room.take(never);
    entered.push(name);
    return leave;
  };
  const [a, b] = [await enter('a'), await enter('b')];
  const [c, d] = [enter('c'), enter('d')];
  b();
  b();
  await c;
  expect(entered).toEqual(['a', 'b', 'c']);
  a();
  await d;
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
});

it('whoever gives up takes no place', async () => {
  const room = createRoom(1);
  const leave = await room.take(never);
  const abort = new AbortController();
  const given = room.take(abort.signal);
  const last = room.take(never);
  abort.abort(new Error('cancelled: user'));
  await expect(given).rejects.toThrow('cancelled: user');
  await expect(room.take(abort.signal)).rejects.toThrow('cancelled: user');
  leave();
  await last;
});
