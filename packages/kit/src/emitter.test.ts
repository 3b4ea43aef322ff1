import { expect, it, vi } from 'vitest';
import { createEmitter } from './index.ts';

it('publishes to every listener of the key and no other', () => {
  const emitter = createEmitter<number>(() => {});
  const [ann, ann2, ben] = [vi.fn(), vi.fn(), vi.fn()];
  emitter.on('ann', ann);
  emitter.on('ann', ann2);
  emitter.on('ben', ben);
  emitter.emit('ann', 1);
  emitter.emit('no listener', 2);
  expect([ann.mock.calls, ann2.mock.calls, ben.mock.calls]).toEqual([[[1]], [[1]], []]);
});

it('continues after a listener that throws', () => {
  const failure = new Error('listener');
  const onError = vi.fn();
  const emitter = createEmitter<number>(onError);
  const after = vi.fn();
  emitter.on('ann', () => {
    throw failure;
  });
  emitter.on('ann', after);
  emitter.emit('ann', 1);
  expect(after.mock.calls).toEqual([[1]]);
  expect(onError.mock.calls).toEqual([[failure]]);
});

it('counts, and forgets who stopped listening', () => {
  const emitter = createEmitter<number>(() => {});
  const listen = vi.fn();
  const stop = emitter.on('ann', listen);
  const stopTwin = emitter.on('ann', listen);
  expect(emitter.count('ann')).toBe(2);
  stop();
  stop();
  expect(emitter.count('ann')).toBe(1);
  emitter.emit('ann', 1);
  expect(listen).toHaveBeenCalledTimes(1);
  stopTwin();
  expect(emitter.count('ann')).toBe(0);
});

it('an old stop does not end a newer listener of the same key', () => {
  const emitter = createEmitter<number>(() => {});
  const stop = emitter.on('ann', () => {});
  stop();
  emitter.on('ann', () => {});
  stop();
  expect(emitter.count('ann')).toBe(1);
});

it('a listener added or removed while telling changes the next time only', () => {
  const emitter = createEmitter<number>(() => {});
  const heard: string[] = [];
  emitter.on('ann', () => {
    heard.push('first');
    stopSecond();
    emitter.on('ann', () => void heard.push('new'));
  });
  const stopSecond = emitter.on('ann', () => void heard.push('second'));
  emitter.emit('ann', 1);
  expect(heard).toEqual(['first', 'second']);
});
