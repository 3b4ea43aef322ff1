import { join } from 'node:path';
import Database from 'libsql';

/** Copies the newest call, 20 s apart, each with a subject of its own. */
export const copyCall = (dataDir: string, count: number): void => {
  const database = new Database(join(dataDir, 'drawbridge.db'));
  const names = database
    .prepare('select name from pragma_table_info(?)')
    .all('calls')
    .map((row) => String((row as { name: unknown }).name));
  const changed: Record<string, string> = {
    requestId: `printf('0%06d', n)`,
    createdAt: `"createdAt" - n * 20000`,
    endedAt: `"endedAt" - n * 20000`,
    subject: `'past-' || n || '.txt'`,
  };
  database.exec(`
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < ${count})
    insert into calls (${names.map((name) => `"${name}"`).join(', ')})
    select ${names.map((name) => changed[name] ?? `"${name}"`).join(', ')}
    from (select * from calls order by "createdAt" desc limit 1), numbers;
  `);
  database.close();
};
