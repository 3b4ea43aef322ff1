import type { TransientMap } from '@drawbridge/kit';

/** The reading end of one connection or stream. */
export interface Reader {
  /** The bytes that wait for it in this process. */
  unread(): number;
  /** Its end: the person has, or all have, too much unread. */
  cut(): void;
  /** Whether its client may go on sending requests. By default it may. */
  hold?(isHeld: boolean): void;
}

/** In bytes. */
export interface UnreadLimits {
  perPerson: number;
  inAll: number;
}

export interface Person {
  readers: Set<Reader>;
  held: Set<Reader>;
  /** As last measured. */
  bytes: number;
}

/** A reader with less is not slow: its person is not measured for it. */
export const slowBytes = 64 * 1024;
/** Beyond this part of what a person may have unread, requests of slow readers wait. */
const lowPart = 1 / 8;

export const sizeOf = ({ readers }: Person): number => {
  let bytes = 0;
  for (const reader of readers) bytes += reader.unread();
  return bytes;
};

const largest = <One>(all: Iterable<One>, size: (one: One) => number): One | undefined => {
  let found: One | undefined;
  for (const one of all) if (found === undefined || size(one) > size(found)) found = one;
  return found;
};

/** Holds, releases and cuts the readers of people, by what waits for them. */
export const createBound = (people: TransientMap<string, Person>, { perPerson, inAll }: UnreadLimits) => {
  let all = 0;

  const measure = (person: Person): number => {
    const bytes = sizeOf(person);
    all += bytes - person.bytes;
    person.bytes = bytes;
    return bytes;
  };

  const release = (person: Person) => {
    const { held } = person;
    person.held = new Set();
    for (const reader of held) reader.hold?.(false);
  };

  const hold = (person: Person) => {
    for (const reader of person.readers) {
      const isSlow = reader.unread() >= slowBytes;
      if (isSlow === person.held.has(reader)) continue;
      if (isSlow) person.held.add(reader);
      else person.held.delete(reader);
      reader.hold?.(isSlow);
    }
  };

  const cutLargest = (person: Person): boolean => {
    const reader = largest(person.readers, (one) => one.unread());
    if (reader === undefined || reader.unread() === 0) return false;
    person.readers.delete(reader);
    person.held.delete(reader);
    reader.cut();
    measure(person);
    return true;
  };

  const bound = (person: Person) => {
    if (measure(person) > perPerson * lowPart) hold(person);
    else release(person);
    while (person.bytes > perPerson && cutLargest(person));
    while (all > inAll) {
      const most = largest(people.values(), (one) => one.bytes);
      if (most === undefined || !cutLargest(most)) break;
    }
  };

  return { measure, bound };
};
