import { systemClock, type Clock } from '@drawbridge/kit';
import { isPostgresUrl, type DatabasePlace } from './place.ts';
import { openDatabase } from './sqlite/open-database.ts';
import type { OpenDatabase } from './store.ts';

/** Opens the store that the url names. Throws for a bad url, and what the opener of its dialect throws. */
export const openStore = async (place: DatabasePlace, clock: Clock = systemClock): Promise<OpenDatabase> => {
  if (!isPostgresUrl(place.url)) return openDatabase(place, clock);
  // Its client is loaded only where it is used: a start on SQLite is as short as before.
  const { openPostgres } = await import('./postgres/open-postgres.ts');
  return openPostgres(place.url, clock);
};
