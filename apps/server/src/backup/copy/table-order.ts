/** A table names rows of another one. */
export interface Reference {
  from: string;
  to: string;
}

/** The tables in an order in which each comes behind those that it names. Throws for a circle. */
export const inOrder = (tables: readonly string[], references: readonly Reference[]): string[] => {
  const ordered: string[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const free = [...left].filter((table) =>
      references.every(({ from, to }) => from !== table || to === table || !left.has(to)),
    );
    if (free.length === 0) throw new Error(`Tables name each other: ${[...left].join(', ')}`);
    for (const table of free) left.delete(table);
    ordered.push(...free);
  }
  return ordered;
};
