import type { User } from '@drawbridge/contracts';
import { publicProcedure, router } from './trpc.ts';

export const accountRouter = router({
  /** Who is signed in; null when nobody is. */
  me: publicProcedure.query(({ ctx }): User | null => ctx.session?.user ?? null),
});
