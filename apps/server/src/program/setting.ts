import ipaddr from 'ipaddr.js';
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

const ownRanges = new Set(['loopback', 'private', 'linkLocal', 'uniqueLocal', 'carrierGradeNat']);
/** No name of the internet: of this machine, of a container, or of a local network. */
const ownName = /^[a-z\d_-]+$|\.(localhost|local|internal)$/i;

/** Whether a host of a parsed URL is on this machine or in a private network, as far as its name tells. */
const isOwnHost = (hostname: string): boolean => {
  const name = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(name) ? ownRanges.has(ipaddr.process(name).range()) : ownName.test(name);
};

export const plainHttp =
  'http would show keys and texts to others on the way. Use https, or an address of this machine or of a private network, such as http://192.168.1.10:8000';

/** Where http stays on this machine or in a private network. */
export const isSafeAddress = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url?.protocol !== 'http:' || isOwnHost(url.hostname);
};

/** An address that gets keys, or what people say. */
export const serviceUrl = httpUrl.refine(isSafeAddress, plainHttp);
