import type { Compilable, CompiledQuery } from 'kysely';

/** Where a value of that name goes when the query is run. */
export interface Slot<Given> {
  <Name extends keyof Given>(name: Name): Given[Name];
}

class Place {
  readonly name: PropertyKey;
  constructor(name: PropertyKey) {
    this.name = name;
  }
}

/**
 * A query that is built once, for those of every call: the builder takes longer than the statement. Returns a
 * function of one run's values; type the parameter of `build` as `Slot` of them.
 */
export const prepareQuery = <Given extends object, Row>(
  build: (slot: Slot<Given>) => Compilable<Row>,
): ((given: Given) => CompiledQuery<Row>) => {
  // Kysely hands values on as they are, and no place ever reaches the database.
  const query = build((name) => new Place(name) as never).compile();
  // A place is made by the slot alone, which takes no other names.
  const valueOf = (given: Given, { name }: Place) => given[name as keyof Given];
  return (given) => ({
    ...query,
    parameters: query.parameters.map((one) => (one instanceof Place ? valueOf(given, one) : one)),
  });
};
