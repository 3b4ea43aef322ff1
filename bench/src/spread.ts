/** The least, the middle and the most of some rounds. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(sorted.length - 1) };
};

export const middleOf = (values: readonly number[]): number => spreadOf(values).median;
