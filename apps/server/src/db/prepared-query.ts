import type { Compilable, Kysely, QueryResult } from 'kysely';

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
 * A query that is put together once, for what runs with every call: its builder takes longer than its statement. Type
 * the parameter of `build` as `Slot` of the values that a run is given.
 */
export const prepareQuery = <Given extends object, Row>(
  build: (slot: Slot<Given>) => Compilable<Row>,
): ((on: Pick<Kysely<never>, 'executeQuery'>, given: Given) => Promise<QueryResult<Row>>) => {
  // Kysely hands values on as they are, and no place ever reaches the database.
  const query = build((name) => new Place(name) as never).compile();
  return (on, given) => {
    const values = new Map<PropertyKey, unknown>(Object.entries(given));
    const parameters = query.parameters.map((one) => (one instanceof Place ? values.get(one.name) : one));
    return on.executeQuery({ ...query, parameters });
  };
};
