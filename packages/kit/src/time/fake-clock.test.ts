import { expect, it } from 'vitest';
import { createFakeClock } from '../index.ts';

it('stands still until it is moved', () => {
  const clock = createFakeClock();
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1));
  clock.advance(5);
  expect(clock.now()).toBe(Date.UTC(2026, 0, 1) + 5);
});

it('runs what falls due in order of time, then of making, each at its own time', () => {
  const clock = createFakeClock(0);
  const ran: [string, number][] = [];
  const note = (name: string) => () => void ran.push([name, clock.now()]);
  clock.after(30, note('late'));
  clock.after(10, note('first'));
  clock.after(10, note('second'));
  clock.every(10, note('every'));
  clock.after(31, note('too late'));
  clock.advance(30);
  expect(ran).toEqual([
    ['first', 10],
    ['second', 10],
    ['every', 10],
    ['every', 20],
    ['late', 30],
    ['every', 30],
  ]);
  expect(clock.waiting()).toBe(2);
});

it('runs within one move what was made on the way', () => {
  const clock = createFakeClock(0);
  const ran: number[] = [];
  const again = () => {
    ran.push(clock.now());
    clock.after(10, again);
  };
  clock.after(10, again);
  clock.advance(35);
  expect(ran).toEqual([10, 20, 30]);
});

it('does not run a cancelled timer, also by a timer of the same moment', () => {
  const clock = createFakeClock(0);
  const ran: string[] = [];
  clock.after(10, () => cancel());
  const cancel = clock.after(10, () => void ran.push('cancelled'));
  clock.advance(100);
  expect(ran).toEqual([]);
  expect(clock.waiting()).toBe(0);
});

it('runs what falls due once after a jump, and again from there', () => {
  const clock = createFakeClock(0);
  const ran: [string, number][] = [];
  const note = (name: string) => () => void ran.push([name, clock.now()]);
  clock.every(10, note('every'));
  clock.after(5, () => cancel());
  const cancel = clock.after(50, note('cancelled'));
  clock.after(7, note('once'));
  clock.after(101, note('later'));
  clock.jump(100);
  expect(ran).toEqual([
    ['once', 100],
    ['every', 100],
  ]);
  clock.advance(10);
  expect(ran.slice(2)).toEqual([
    ['later', 101],
    ['every', 110],
  ]);
});

it('lets promises settle between what falls due', async () => {
  const clock = createFakeClock(0);
  const ran: string[] = [];
  clock.after(1, () => void Promise.resolve().then(() => ran.push('promise of the first')));
  clock.after(2, () => void ran.push('second'));
  await clock.settle(2);
  expect(ran).toEqual(['promise of the first', 'second']);
  expect(clock.now()).toBe(2);
});
