const first = { f: 0xffbe, numpad: 0xffb0 };
const numbered = (count: number, named: (at: number) => [string, number]) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => named(at)));

/** The keys that are held while another is pressed, with what X11 calls them. */
export const modifierKeys = { shift: 0xffe1, control: 0xffe3, alt: 0xffe9, command: 0xffeb };

/** Every key that has a name of its own, with what X11 calls it. */
export const namedKeys: Readonly<Record<string, number>> = {
  ...modifierKeys,
  enter: 0xff0d,
  tab: 0xff09,
  space: 0x20,
  escape: 0xff1b,
  backspace: 0xff08,
  delete: 0xffff,
  up: 0xff52,
  down: 0xff54,
  left: 0xff51,
  right: 0xff53,
  home: 0xff50,
  end: 0xff57,
  pageup: 0xff55,
  pagedown: 0xff56,
  insert: 0xff63,
  capslock: 0xffe5,
  printscreen: 0xff61,
  menu: 0xff67,
  'numpad_+': 0xffab,
  'numpad_-': 0xffad,
  'numpad_*': 0xffaa,
  'numpad_/': 0xffaf,
  'numpad_.': 0xffae,
  numpad_lock: 0xff7f,
  audio_mute: 0x1008_ff12,
  audio_vol_up: 0x1008_ff13,
  audio_vol_down: 0x1008_ff11,
  audio_play: 0x1008_ff14,
  audio_stop: 0x1008_ff15,
  audio_pause: 0x1008_ff31,
  audio_prev: 0x1008_ff16,
  audio_next: 0x1008_ff17,
  ...numbered(24, (at) => [`f${at + 1}`, first.f + at]),
  ...numbered(10, (at) => [`numpad_${at}`, first.numpad + at]),
};
