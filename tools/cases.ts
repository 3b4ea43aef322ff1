import ts from 'typescript';

/** One row of a table of `docs/security.md`. */
export interface CaseRow {
  id: string;
  /** The test files with the id; none if the last column gives the reason. */
  files: string[];
  /** What is not covered, or why there is no test. */
  left: string;
  /** The number of columns; a bar inside a text adds one. */
  columns: number;
  heading: string;
}

const id = /\b[A-Z]{2}-\d{2}[a-z]?\b/g;

/** The ids in the texts of a test file: names of tests and rows of their tables, not comments. */
export const idsOf = (source: string): Set<string> => {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node);
    if (isText) for (const [one] of node.text.matchAll(id)) found.add(one);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('', source, ts.ScriptTarget.Latest));
  return found;
};

/** The rows of all tables: `| id | what | tested in | what is left |`. */
export const rowsOf = (page: string): CaseRow[] => {
  let heading = '';
  return page.split('\n').flatMap((line) => {
    if (line.startsWith('## ')) heading = line.slice(3);
    const cells = line.split('|').map((cell) => cell.trim());
    const [, first = '', , tested = '', left = ''] = cells;
    if (!/^[A-Z]{2}-\d{2}[a-z]?$/.test(first)) return [];
    const files = [...tested.matchAll(/`([\w./-]+\.(?:test|long)\.ts)`/g)].map(([, name = '']) => name);
    return [{ id: first, files, left, heading, columns: cells.length - 2 }];
  });
};

const numbered = (area: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${area}-${String(at + 1).padStart(2, '0')}`);

/** The errors of the tables: repeats, gaps, ids without a test, and ids that are missing on the page. */
export const complaints = (rows: CaseRow[], tests: ReadonlyMap<string, ReadonlySet<string>>): string[] => {
  const known = new Set(rows.map((row) => row.id));
  const repeated = rows.filter((row, at) => rows.findIndex((other) => other.id === row.id) !== at);
  const missing = [...new Set(rows.map((row) => row.heading))].flatMap((heading) => {
    const [, area = '', count = '0'] = /\(([A-Z]{2})-01 to [A-Z]{2}-(\d{2})\)$/.exec(heading) ?? [];
    const listed = rows.filter((row) => row.heading === heading).map((row) => row.id);
    const whole = numbered(area, Number(count));
    if (whole.length === 0) return [];
    return [
      ...whole.filter((one) => !listed.includes(one)).map((one) => `${one} is missing from "${heading}"`),
      ...listed.filter((one) => !whole.includes(one)).map((one) => `${one} does not belong to "${heading}"`),
    ];
  });
  const carriedBy = (name: string, one: string) =>
    [...tests].some(([path, ids]) => `/${path}`.endsWith(`/${name}`) && ids.has(one));
  return [
    ...repeated.map((row) => `${row.id} is there twice`),
    ...missing,
    ...rows.filter((row) => row.columns !== 4).map((row) => `${row.id} has not four columns`),
    ...rows
      .filter((row) => row.files.length === 0 && [...tests.values()].some((ids) => ids.has(row.id)))
      .map((row) => `${row.id} is tested, and no file is named`),
    ...rows
      .filter((row) => row.files.length === 0 && row.left === '')
      .map((row) => `${row.id} has neither a test nor a reason`),
    ...rows.flatMap((row) =>
      row.files
        .filter((name) => !carriedBy(name, row.id))
        .map((name) => `${row.id} is in no test of ${name}`),
    ),
    ...[...tests].flatMap(([path, ids]) =>
      [...ids].filter((one) => !known.has(one)).map((one) => `${one} of ${path} is not on the page`),
    ),
  ];
};
