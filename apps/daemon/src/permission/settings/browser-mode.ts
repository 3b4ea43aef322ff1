import { z } from 'zod';

/** `ephemeral`: a new profile for each run. `persistent`: one that is kept. Neither is the person's own. */
export const browserModes = ['ephemeral', 'persistent'] as const;

/** Why not the person's own browser: see docs/decisions/0011. */
export const whyNotLocal =
  'your own browser is not offered, because its pages could not be kept away from the panel and this machine';

export const browserMode = z.enum(browserModes, {
  error: ({ input }) => (input === 'local' ? `${whyNotLocal}. Use persistent` : undefined),
});
export type BrowserMode = z.infer<typeof browserMode>;
