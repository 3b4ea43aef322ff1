import { z } from 'zod';

/** `ephemeral`: a profile of its own for each run of the browser, deleted after it. `persistent`: one that is kept. Neither is the person's. */
export const browserModes = ['ephemeral', 'persistent'] as const;
export const browserMode = z.enum(browserModes);
export type BrowserMode = z.infer<typeof browserMode>;
