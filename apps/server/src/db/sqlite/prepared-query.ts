import type { Compilable, CompiledQuery } from 'kysely';

/** Where a value of that name goes when the query is run. */
export interface Slot<Values> {
  <Name extends keyof Values>(name: Name): Values[Name];
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
export const prepareQuery = <Values extends object, Row>(
  build: (slot: Slot<Values>) => Compilable<Row>,
): ((values: Values) => CompiledQuery<Row>) => {
  // Kysely hands values on as they are, and no place ever reaches the database.
  const query = build((name) => new Place(name) as never).compile();
  // A place is made by the slot alone, which takes no other names.
  const valueOf = (values: Values, { name }: Place) => values[name as keyof Values];
  return (values) => ({
    ...query,
    parameters: query.parameters.map((parameter) =>
      parameter instanceof Place ? valueOf(values, parameter) : parameter,
    ),
  });
};
