import { createTransientMap, type Clock } from '@drawbridge/kit';
import type { FastifyReply } from 'fastify';
import { errors } from '../../errors.ts';
import { atClose } from '../client-disconnect.ts';
import { createBound, sizeOf, slowBytes, type Person, type Reader, type UnreadLimits } from './people.ts';

/** A reader that is counted. */
interface CountedReader {
  /** Call it when more waits; may call `hold` and `cut`. */
  grew(): void;
  /** Call it when less waits. */
  shrank(): void;
  remove(): void;
}

/** Beyond this part of its limit, programs of a person get no further answers by HTTP; the panel does. */
const fullPart = 1 / 2;
/** Streams that have a limit of their own are measured this often. */
const measureEveryMs = 1_000;
const retrySeconds = 5;

const readerOf = ({ raw }: FastifyReply): Reader => ({
  unread: () => (raw.destroyed ? 0 : raw.writableLength),
  cut: () => raw.destroy(),
});

/**
 * Bounds what waits unread for each person and for all, over connections of every kind. Beyond a low mark
 * requests of slow readers wait; beyond the limit the largest reader is cut, of the person who has most.
 */
export const createUnread = ({ clock, limits }: { clock: Clock; limits: UnreadLimits }) => {
  const people = createTransientMap<string, Person>();
  const { measure, bound } = createBound(people, limits);
  let stop: (() => void) | null = null;

  const personOf = (userId: string): Person => {
    const person = people.get(userId) ?? { readers: new Set(), held: new Set(), bytes: 0 };
    people.set(userId, person);
    stop ??= clock.every(measureEveryMs, () => {
      for (const one of people.values()) bound(one);
    });
    return person;
  };

  const leave = (userId: string, person: Person, reader: Reader) => {
    person.readers.delete(reader);
    person.held.delete(reader);
    measure(person);
    if (person.readers.size > 0 || people.get(userId) !== person) return;
    people.delete(userId);
    if ([...people.keys()].length > 0) return;
    stop?.();
    stop = null;
  };

  const add = (userId: string, reader: Reader): CountedReader => {
    const person = personOf(userId);
    person.readers.add(reader);
    return {
      grew: () => {
        if (reader.unread() >= slowBytes) bound(person);
      },
      shrank: () => {
        if (person.held.size > 0) bound(person);
      },
      remove: () => leave(userId, person, reader),
    };
  };

  const count = (reply: FastifyReply, userId: string): void => {
    const { grew, remove } = add(userId, readerOf(reply));
    reply.raw.once('prefinish', grew);
    atClose(reply, remove);
  };

  return {
    add,
    /** Counts the answer or stream of a request from now on. */
    count,
    /** The same for a program; throws `tooManyRequests`, with `Retry-After`, for a person without room. */
    admit: (reply: FastifyReply, userId: string): void => {
      const person = people.get(userId);
      const isFull = (bytes = 0) => bytes > limits.perPerson * fullPart;
      if (person && isFull(person.bytes) && isFull(measure(person))) {
        reply.header('retry-after', String(retrySeconds));
        throw errors.tooManyRequests({ message: 'Too many answers wait unread', fix: 'Read them first.' });
      }
      count(reply, userId);
    },
    /** The bytes that wait now, for one person or for all. */
    bytes: (userId?: string): number => {
      const counted = userId === undefined ? [...people.values()] : [people.get(userId)];
      return counted.reduce((sum, person) => sum + (person ? sizeOf(person) : 0), 0);
    },
  };
};

export type Unread = ReturnType<typeof createUnread>;
