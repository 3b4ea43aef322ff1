import { z } from 'zod';

/** One setting: its environment variable, its purpose for `--help`, and how its text is read. */
export const setting = <Schema extends z.ZodType>(variable: string, about: string, schema: Schema): Schema =>
  schema.meta({ title: variable, description: about });

export const whole = (least: number, most: number) =>
  z
    .stringFormat('whole-number', /^\d{1,15}$/, { error: 'must be a whole number' })
    .transform(Number)
    .pipe(z.number().min(least).max(most));

export const onOff = z.enum(['true', 'false']).transform((text) => text === 'true');

export const keyText = z
  .string()
  .min(32)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without blanks');

/** Printable, as it is sent in a header; the value is not part of the error. */
export const apiKey = z
  .string()
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be printable characters without blanks');

export const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(2_048);
