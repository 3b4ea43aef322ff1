import { stripVTControlCharacters } from 'node:util';

export interface Failure {
  /** The test, or the suite or file where no test of it is to blame. */
  name: string;
  errors: readonly { message: string; stack?: string | undefined; diff?: string | undefined }[];
}

const mostLines = 60;
const linesOfMessage = 5;
const linesOfDiff = 12;

/** The first line of a stack that is ours. */
const placeOf = (stack = ''): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+(at|❯) /.test(line) && !/node_modules|node:/.test(line))
    .slice(0, 1)
    .map((line) => line.trim());

const linesOf = ({ name, errors }: Failure): string[] => [
  name,
  ...errors.flatMap(({ message, stack, diff = '' }) =>
    [
      ...message.split('\n').slice(0, linesOfMessage),
      ...diff.split('\n').filter(Boolean).slice(0, linesOfDiff),
      ...placeOf(stack),
    ].map((line) => `    ${line}`),
  ),
];

/** The failed tests with their errors and places, in at most 60 lines. `.ci/run` repeats these lines. */
export const failedLines = (failures: readonly Failure[]): string[] => {
  if (failures.length === 0) return [];
  const lines = failures.flatMap(linesOf).map(stripVTControlCharacters);
  const left = lines.length - mostLines;
  return [
    `Failed ${failures.length}:`,
    ...lines.slice(0, mostLines),
    ...(left > 0 ? [`and ${left} lines more, above`] : []),
  ];
};
