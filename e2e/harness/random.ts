/** Numbers that a seed settles: the same seed gives the same run of them on every machine. */
export interface Random {
  /** From 0 up to, never with, 1. */
  next(): number;
  /** A whole number, both ends included. */
  whole(least: number, most: number): number;
  pick<T>(list: readonly T[]): T;
  chance(part: number): boolean;
}

/** Mulberry32, which is in the public domain. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    pick: (list) => {
      const found = list[whole(0, list.length - 1)];
      if (found === undefined) throw new Error('nothing to pick from');
      return found;
    },
    chance: (part) => next() < part,
  };
};
