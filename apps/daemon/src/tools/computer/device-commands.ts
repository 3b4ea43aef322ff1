import { z } from 'zod';

export const mouseButtons = ['left', 'right', 'middle'] as const;
const button = z.enum(mouseButtons);

/** Points are pixels of the main screen, from its upper left corner. */
const point = z.object({ x: z.number().int(), y: z.number().int() });
export type Point = z.infer<typeof point>;

const area = z.object({ ...point.shape, width: z.number().int(), height: z.number().int() });
export type Area = z.infer<typeof area>;

export const deviceCommand = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('capture'), area: area.optional(), longestSide: z.number().int() }),
  z.object({ kind: z.literal('move'), to: point }),
  z.object({ kind: z.literal('click'), at: point, button, double: z.boolean() }),
  z.object({ kind: z.literal('drag'), from: point, to: point }),
  z.object({ kind: z.literal('scroll'), at: point, right: z.number().int(), down: z.number().int() }),
  z.object({ kind: z.literal('type'), text: z.string() }),
  z.object({ kind: z.literal('tap'), key: z.string(), modifiers: z.array(z.string()) }),
]);
export type DeviceCommand = z.infer<typeof deviceCommand>;

export const screenSize = z.object({
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});
export type ScreenSize = z.infer<typeof screenSize>;

/** `ready` comes once, or `missing` in its place; each order is answered. `data` is a picture in base64. */
export const deviceMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), screen: screenSize }),
  z.object({ kind: z.literal('missing'), reason: z.string() }),
  z.object({ kind: z.literal('done'), screen: screenSize, data: z.string().optional() }),
  z.object({ kind: z.literal('failed'), reason: z.string() }),
]);
export type DeviceMessage = z.infer<typeof deviceMessage>;
