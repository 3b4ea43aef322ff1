import type { PlanTask } from '@drawbridge/contracts/agent/tasks';

export interface PlanOffer {
  /** Names of the tools that an agent of a plan may use. */
  tools: ReadonlySet<string>;
  /** Ids of the domain adapters that the user may use. */
  domains: ReadonlySet<string>;
}

const quoted = (names: Iterable<string>) => [...names].map((name) => `"${name}"`).join(', ');

const duplicates = (tasks: readonly PlanTask[]): string[] => {
  const ids = tasks.map(({ id }) => id);
  const repeated = new Set(ids.filter((id, at) => ids.indexOf(id) !== at));
  return repeated.size === 0 ? [] : [`Each task needs an id of its own; used twice: ${quoted(repeated)}.`];
};

const unknownDeps = (tasks: readonly PlanTask[]): string[] => {
  const ids = new Set(tasks.map(({ id }) => id));
  return tasks.flatMap(({ id, deps }) => {
    const unknown = deps.filter((dep) => !ids.has(dep));
    return unknown.length === 0
      ? []
      : [`Task "${id}" depends on ${quoted(unknown)}, which the plan does not contain.`];
  });
};

/** The first cycle, as the ids along it with the first one again at the end. */
const cycleOf = (tasks: readonly PlanTask[]): string[] | null => {
  const depsOf = new Map(tasks.map(({ id, deps }) => [id, deps]));
  const finished = new Set<string>();
  const follow = (id: string, path: readonly string[]): string[] | null => {
    const at = path.indexOf(id);
    if (at >= 0) return [...path.slice(at), id];
    if (finished.has(id)) return null;
    for (const dep of depsOf.get(id) ?? []) {
      const cycle = follow(dep, [...path, id]);
      if (cycle) return cycle;
    }
    finished.add(id);
    return null;
  };
  for (const { id } of tasks) {
    const cycle = follow(id, []);
    if (cycle) return cycle;
  }
  return null;
};

const cycles = (tasks: readonly PlanTask[]): string[] => {
  const cycle = cycleOf(tasks);
  return cycle === null
    ? []
    : [`These tasks wait for each other: ${cycle.join(' → ')}. Remove one of the dependencies.`];
};

const unknownKinds = (tasks: readonly PlanTask[], { domains }: PlanOffer): string[] =>
  tasks.flatMap(({ id, kind }) => {
    const domain = /^domain:(.*)$/.exec(kind)?.[1];
    return domain === undefined || domains.has(domain)
      ? []
      : [`Task "${id}" has the kind "${kind}", which is not available here.`];
  });

const unknownTools = (tasks: readonly PlanTask[], offer: PlanOffer): string[] =>
  tasks.flatMap(({ id, tools }) => {
    const unknown = tools.filter((tool) => !offer.tools.has(tool));
    return unknown.length === 0
      ? []
      : [`Task "${id}" lists tools that a planned task cannot use: ${quoted(unknown)}.`];
  });

/** As much as a person can review, and an event can carry. */
const longestPlan = 40_000;

const tooLong = (tasks: readonly PlanTask[]): string[] =>
  tasks.reduce((length, { spec }) => length + spec.length, 0) > longestPlan
    ? [`The specs of all tasks together are longer than ${longestPlan} characters.`]
    : [];

/** The problems of a plan, as sentences for the model; none: it can be shown to the person. */
export const checkPlan = (tasks: readonly PlanTask[], offer: PlanOffer): string[] => [
  ...tooLong(tasks),
  ...duplicates(tasks),
  ...unknownDeps(tasks),
  ...cycles(tasks),
  ...unknownKinds(tasks, offer),
  ...unknownTools(tasks, offer),
];
