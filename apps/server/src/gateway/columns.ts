import { z } from 'zod';

/** The last moment that a date can name, in milliseconds since 1970. */
export const lastTime = 8.64e15;

export const storedTime = z.number().int().min(0).max(lastTime);

/**
 * Reads each column of a row separately; an unreadable one gets a default and its name is recorded. One
 * damaged row must stop neither the start of the server nor a page.
 */
export interface Columns {
  read<Value>(name: string, read: () => Value, instead: Value): Value;
  /** Names of those that could not be read; never what stands in them. */
  unreadable: string[];
}

export const createColumns = (): Columns => {
  const unreadable: string[] = [];
  return {
    unreadable,
    read: (name, read, instead) => {
      try {
        return read();
      } catch {
        unreadable.push(name);
        return instead;
      }
    },
  };
};

/** A stored row that could not be read whole: its id, and the names of the columns. */
export interface UnreadableRow {
  id: string;
  columns: string[];
}
