import { z } from 'zod';

/** The module's settings for the panel. Specification 8. */
export const moduleSettings = z.object({
  /** A model is configured and usable. */
  enabled: z.boolean(),
  /** A local folder is configured. */
  localGateway: z.boolean(),
  /** Disabled by the owner for all, or by the user. */
  localGatewayDisabled: z.boolean(),
  localGatewayFallbackDirectory: z.string().nullable(),
});

export type ModuleSettings = z.infer<typeof moduleSettings>;

/** Both switches; only an owner may change `disabledByOwner`. */
export const settings = moduleSettings.extend({
  disabledByOwner: z.boolean(),
  disabledByUser: z.boolean(),
  isOwner: z.boolean(),
  /** For the owner: the server could share a folder of its own machine, and does not. */
  canShareFolder: z.boolean(),
});
export type Settings = z.infer<typeof settings>;

/** Live: the settings of the module have changed, such as when the owner chooses a model. */
export const settingsEvent = z.object({ type: z.literal('settings'), settings });

export const updateSettingsInput = z
  .strictObject({ disabledByOwner: z.boolean().optional(), disabledByUser: z.boolean().optional() })
  .refine((input) => Object.values(input).some((value) => value !== undefined), 'needs a setting');
export type UpdateSettingsInput = z.infer<typeof updateSettingsInput>;
