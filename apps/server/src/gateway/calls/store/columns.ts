import { z } from 'zod';

/** The last moment that a date can name, in milliseconds since 1970. */
export const lastTime = 8.64e15;

export const storedTime = z.number().int().min(0).max(lastTime);

/**
 * Reads the columns of one row, each by itself: where one cannot be read, something else stands in its
 * place and its name is
 * remembered. One damaged row must keep neither the server from starting nor a page from being shown.
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
