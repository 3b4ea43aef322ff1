import { requestId } from '@drawbridge/contracts/ids';
import { z } from 'zod';
import { errors } from '../../errors.ts';

const params = z.object({ requestId });

/** The id in a path; one that cannot be any call's is as unknown as another. */
export const requestIdOf = (value: unknown): string => {
  const parsed = params.safeParse(value);
  if (!parsed.success) throw errors.notFound();
  return parsed.data.requestId;
};
