import { z } from 'zod';

/** `ephemeral`: a new profile for each run. `persistent`: one that is kept. Neither is the person's own. */
export const browserModes = ['ephemeral', 'persistent'] as const;

/** Why the person's own browser is none of them; docs/decisions/0011 has the whole of it. */
export const whyNotLocal =
  'your own browser is not offered, because its pages could not be kept away from the panel and this machine';

export const browserMode = z.enum(browserModes, {
  error: ({ input }) => (input === 'local' ? `${whyNotLocal}. Use persistent` : undefined),
});
export type BrowserMode = z.infer<typeof browserMode>;
