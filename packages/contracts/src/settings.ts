import { z } from 'zod';

/** What the panel must know of the module as a whole. Specification 8. */
export const moduleSettings = z.object({
  /** A model is configured and usable. */
  enabled: z.boolean(),
  /** A local folder is configured. */
  localGateway: z.boolean(),
  /** Off, by the owner for all or by the user for themself. */
  localGatewayDisabled: z.boolean(),
  localGatewayFallbackDirectory: z.string().nullable(),
});
export type ModuleSettings = z.infer<typeof moduleSettings>;

/** The same with both switches apart; `isOwner` says who may turn the owner's. */
export const settings = moduleSettings.extend({
  disabledByOwner: z.boolean(),
  disabledByUser: z.boolean(),
  isOwner: z.boolean(),
});
export type Settings = z.infer<typeof settings>;

export const updateSettingsInput = z
  .strictObject({ disabledByOwner: z.boolean().optional(), disabledByUser: z.boolean().optional() })
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'needs a switch to turn');
export type UpdateSettingsInput = z.infer<typeof updateSettingsInput>;
