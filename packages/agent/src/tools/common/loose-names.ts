/** Letters and digits that are drawn alike, as one of them. */
const alike: readonly (readonly [RegExp, string])[] = [
  [/rn/g, 'm'],
  [/vv/g, 'w'],
  [/[1il]/g, 'l'],
  [/0/g, 'o'],
  [/5/g, 's'],
];

/** A name as a careless reader sees it: without case, separators and differences of look-alikes. */
const looseForm = (name: string): string =>
  alike.reduce(
    (rest, [from, to]) => rest.replace(from, to),
    name
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^a-z0-9]/g, ''),
  );

/** The first word of `first_second`, `first.second` and `firstSecond`. */
const firstWord = (name: string): string =>
  name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).find((word) => word !== '') ?? '';

/** Whether a name looks like one of ours, or begins with a word that only names of ours begin with. */
export type IsTaken = (name: string) => boolean;

export const takenNames = (names: Iterable<string>, firstWords: readonly string[] = []): IsTaken => {
  const forms = new Set([...names].map(looseForm));
  const words = new Set(firstWords.map(looseForm));
  return (name) => forms.has(looseForm(name)) || words.has(looseForm(firstWord(name)));
};
