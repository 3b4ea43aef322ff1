import { errorTable } from '@drawbridge/contracts/errors';
import { createErrors } from '@drawbridge/kit';

/** One maker per code of the contracts' table: `throw errors.notConnected()`. */
export const errors = createErrors(errorTable);
