import { services, type Service } from './service-table.ts';

/** Stands at the end of the name of skipped tests; `skippedLines` reads it. */
export const skipReason = (missing: readonly Service[]): string =>
  `[${missing.map((service) => `no ${service}`).join(', ')}]`;

const reasonOf = (name: string): string => /\[([^\]]+)\]/.exec(name)?.[1] ?? name;

const isService = (name: string): name is Service => Object.hasOwn(services, name);

/**
 * What a run ends with when it left out tests: how many for which reason, and what would enable them.
 *
 * @param names full names of the skipped tests
 */
export const skippedLines = (names: readonly string[]): string[] => {
  if (names.length === 0) return [];
  const counts = new Map<string, number>();
  for (const reason of names.map(reasonOf)) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const byCount = [...counts].toSorted(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  const missing = [...counts.keys()].flatMap((reason) =>
    reason.split(', ').flatMap((one) => {
      const name = one.replace(/^no /, '');
      return isService(name) ? [name] : [];
    }),
  );
  const entries = [...new Set(missing)].map((name) => services[name]);
  const packages = [...new Set(entries.flatMap((entry) => entry.packages ?? []))].toSorted();
  const hints = [...new Set(entries.flatMap((entry) => entry.hint ?? []))];
  return [
    `Skipped ${names.length} tests:`,
    ...byCount.map(([reason, count]) => `${String(count).padStart(5)}  ${reason}`),
    ...(packages.length > 0 ? [`To run them: sudo apt-get install ${packages.join(' ')}`] : []),
    ...hints.map((hint) => `To run those without a package: ${hint}`),
  ];
};
