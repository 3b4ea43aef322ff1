import { errorTable } from '@drawbridge/contracts/errors';
import { createErrors } from '@drawbridge/kit';

export const errors = createErrors(errorTable);
