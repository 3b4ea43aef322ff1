/** The least, the middle and the most of some rounds. */
export interface Spread {
  min: number;
  median: number;
  max: number;
}

/** The value that so many of 100 are not above. */
export const percentileOf = (values: readonly number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.ceil((sorted.length * percent) / 100) - 1] ?? Number.NaN;
};

export const spreadOf = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return { min: at(0), median: at(Math.floor(sorted.length / 2)), max: at(sorted.length - 1) };
};

export const middleOf = (values: readonly number[]): number => spreadOf(values).median;
