/** Letters to add, leave out, change or swap with the next, to get from one word to the other. */
const distance = (from: string, to: string): number => {
  const rows = [Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let y = 1; y <= from.length; y += 1) {
    const row = [y];
    for (let x = 1; x <= to.length; x += 1) {
      const change = from[y - 1] === to[x - 1] ? 0 : 1;
      const before = (up: number, left: number) => rows[y - up]?.[x - left] ?? Infinity;
      const isSwap = from[y - 1] === to[x - 2] && from[y - 2] === to[x - 1];
      row[x] = Math.min(
        before(1, 0) + 1,
        (row[x - 1] ?? Infinity) + 1,
        before(1, 1) + change,
        isSwap ? before(2, 2) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return rows[from.length]?.[to.length] ?? Infinity;
};

/** The name that a mistyped word most likely stands for. */
export const meantBy = (word: string, names: readonly string[]): string | undefined =>
  names.find((name) => word.length < 20 && distance(word.toLowerCase(), name) <= 2);
