import { errors } from '../common/errors.ts';
import { modifierKeys, namedKeys } from './x11/key-names.ts';

const aliases: Record<string, string> = {
  cmd: 'command',
  meta: 'command',
  super: 'command',
  win: 'command',
  windows: 'command',
  ctrl: 'control',
  option: 'alt',
  return: 'enter',
  esc: 'escape',
  del: 'delete',
  pgup: 'pageup',
  pgdn: 'pagedown',
  ins: 'insert',
  caps: 'capslock',
};

const modifiers: ReadonlySet<string> = new Set(Object.keys(modifierKeys));

const named: ReadonlySet<string> = new Set(Object.keys(namedKeys));

const isCharacter = (key: string) => /^[\x21-\x7e]$/.test(key);

/** What belongs to the system: it would end the session, leave the display, or reach the kernel. */
const isForSystem = (keys: readonly string[]): boolean => {
  const has = (key: string) => keys.includes(key);
  if (has('printscreen') && has('alt')) return true;
  return has('control') && has('alt') && keys.some((key) => /^(delete|backspace|f\d+)$/.test(key));
};

/** A key by its one name. Throws `badArguments` for one that there is not. */
const readKey = (text: string): string => {
  if (isCharacter(text)) return text;
  const lower = text.toLowerCase();
  const name = aliases[lower] ?? lower;
  if (named.has(name)) return name;
  throw errors.badArguments({ message: `There is no key ${JSON.stringify(text.slice(0, 40))}` });
};

/** The last key is tapped while the others are held. Throws `badArguments` for unknown and system keys. */
export const readKeys = (texts: readonly string[]) => {
  const keys = texts.map(readKey);
  const held = keys.slice(0, -1);
  const odd = held.find((key) => !modifiers.has(key));
  if (odd !== undefined)
    throw errors.badArguments({ message: `${odd} cannot be held: only shift, control, alt and command` });
  if (isForSystem(keys)) throw errors.badArguments({ message: 'These keys belong to the system' });
  return { key: keys.at(-1) ?? '', modifiers: [...new Set(held)] };
};

export type Keys = ReturnType<typeof readKeys>;
