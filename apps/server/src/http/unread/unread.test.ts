import { createFakeClock } from '@drawbridge/kit';
import { describe, expect, it } from 'vitest';
import { createUnread } from './unread.ts';

const kibibyte = 1024;
const slow = 64 * kibibyte;

/** 800 KiB for a person, so that 100 KiB is the low mark; 1,000 KiB in all. */
const world = () => {
  const clock = createFakeClock();
  const unread = createUnread({ clock, limits: { perPerson: 800 * kibibyte, inAll: 1_000 * kibibyte } });
  const told: string[] = [];
  /** A reader of the user; the returned function sets what waits for it. */
  const open = (userId: string, name: string) => {
    let bytes = 0;
    const counted = unread.add(userId, {
      unread: () => bytes,
      cut: () => {
        told.push(`cut ${name}`);
        bytes = 0;
      },
      hold: (isHeld) => void told.push(`${isHeld ? 'hold' : 'release'} ${name}`),
    });
    const set = (kibibytes: number) => {
      const before = bytes;
      bytes = kibibytes * kibibyte;
      if (bytes > before) counted.grew();
      else counted.shrank();
    };
    return { ...counted, set };
  };
  return { clock, unread, told, open };
};

describe('NJ-04: what waits unread', () => {
  it('holds the slow readers of a person beyond the low mark, not others, until it is read', () => {
    const { told, open } = world();
    const [first, second, fast, other] = [
      open('ada', 'a'),
      open('ada', 'b'),
      open('ada', 'c'),
      open('ben', 'd'),
    ];
    fast.set(10);
    other.set(90);
    first.set(70);
    expect(told).toEqual([]);
    second.set(90);
    expect(told).toEqual(['hold a', 'hold b']);
    second.set(slow / kibibyte - 1);
    expect(told.slice(2)).toEqual(['release b']);
    first.set(20);
    expect(told.slice(3)).toEqual(['release a']);
  });

  it.each<[string, [user: string, kibibytes: number][], string[]]>([
    [
      'of one person: their largest reader is cut',
      [
        ['ada', 300],
        ['ada', 400],
        ['ada', 200],
      ],
      ['cut 1'],
    ],
    ['of one person, by one reader', [['ada', 900]], ['cut 0']],
    [
      'in all: the largest reader of who has most is cut',
      [
        ['ada', 300],
        ['ada', 310],
        ['ben', 500],
      ],
      ['cut 1'],
    ],
    [
      'in all, of many with little each: one of them, until there is room',
      [
        ['ada', 250],
        ['ben', 240],
        ['cem', 230],
        ['dan', 220],
        ['eve', 210],
      ],
      ['cut 0'],
    ],
    [
      'below both limits',
      [
        ['ada', 700],
        ['ben', 290],
      ],
      [],
    ],
  ])('beyond the limit %s', (_, readers, expected) => {
    const { told, open, unread } = world();
    readers.forEach(([user, kibibytes], at) => open(user, String(at)).set(kibibytes));
    expect(told.filter((one) => one.startsWith('cut'))).toEqual(expected);
    expect(unread.bytes()).toBeLessThanOrEqual(1_000 * kibibyte);
  });

  it('counts what grows without a word within a second, and forgets who is gone', () => {
    const { clock, told, unread } = world();
    let bytes = 0;
    const { remove } = unread.add('ada', { unread: () => bytes, cut: () => void told.push('cut') });
    bytes = 2_000 * kibibyte;
    clock.advance(1_000);
    expect(told).toEqual(['cut']);
    remove();
    bytes = 3_000 * kibibyte;
    clock.advance(10_000);
    expect([told, unread.bytes(), unread.bytes('ada')]).toEqual([['cut'], 0, 0]);
  });
});
