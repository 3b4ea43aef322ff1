import { errorTable } from '@drawbridge/contracts/errors';
import { createErrors } from '@drawbridge/kit';

export const errors = createErrors(errorTable);

/** Another server drives the thread: it does what is asked. */
export class ElsewhereError extends Error {
  override name = 'ElsewhereError';
}
