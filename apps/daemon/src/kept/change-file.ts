import { z } from 'zod';

/** What a file held: `blob` is the name of its copy in the folder of the change. */
const content = z.object({
  sha256: z.string(),
  bytes: z.number().int().nonnegative(),
  mode: z.number().int().nonnegative(),
  blob: z.string().regex(/^\d{1,4}$/),
});
export type KeptContent = z.infer<typeof content>;

/** A file that a call changed; `path` is real. `after`: its digest afterwards, null for none. */
const file = z.object({ path: z.string(), before: content.nullable(), after: z.string().nullable() });
export type KeptFile = z.infer<typeof file>;

/** What one call changed. `resources`: what it was allowed to write, as rules name it. */
export const changeFile = z.object({
  requestId: z.string(),
  tool: z.string(),
  at: z.number().int(),
  root: z.string(),
  /** Which agent or person called, as the server names them. */
  caller: z.string(),
  resources: z.array(z.string()),
  files: z.array(file).min(1),
});
export type ChangeFile = z.infer<typeof changeFile>;

/** The same with its folder. */
export interface KeptChange extends ChangeFile {
  folder: string;
}
