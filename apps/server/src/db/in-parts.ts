/** SQLite bounds the values of one statement. */
const most = 500;

/** The rows of a query by many values, which runs for as many at a time as one statement takes. */
export const inParts = async <Value, Row>(
  values: readonly Value[],
  query: (part: Value[]) => Promise<Row[]>,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let from = 0; from < values.length; from += most)
    rows.push(...(await query(values.slice(from, from + most))));
  return rows;
};
