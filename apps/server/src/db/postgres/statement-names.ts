import { createBoundedMap } from '@drawbridge/kit';

/** Lists of values make statements of many lengths. */
const maxTexts = 500;
/** Each connection of Postgres keeps what it has prepared. */
const maxNames = 300;
const isPreparable = /^(?:select|insert|update|delete|with)\b/i;

/** Names statements that come again: Postgres then parses each of them once a connection. */
export const createStatementNames = () => {
  const known = createBoundedMap<string, string | null>({ maxEntries: maxTexts });
  let given = 0;
  let generation = 1;
  return {
    /** Undefined for a text that comes the first time, or that is not prepared. */
    nameOf: (text: string): string | undefined => {
      const name = known.get(text);
      if (name === undefined && isPreparable.test(text)) known.set(text, null);
      if (name !== null) return name;
      if (given >= maxNames) return undefined;
      given += 1;
      const next = `s${generation}_${given}`;
      known.set(text, next);
      return next;
    },
    /** Other names from now on: a table has other columns than when its statements were prepared. */
    forget: () => {
      known.clear();
      given = 0;
      generation += 1;
    },
  };
};

export type StatementNames = ReturnType<typeof createStatementNames>;
