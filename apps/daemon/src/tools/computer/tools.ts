import type { ToolResult } from '@drawbridge/contracts/tool-result';
import { sleep } from '@drawbridge/kit';
import { z } from 'zod';
import { errors } from '../common/errors.ts';
import { textWords } from '../common/question-words.ts';
import { textResult } from '../common/result.ts';
import { defineTool, type DaemonTool, type Resource, type RunContext } from '../common/tool.ts';
import type { Device } from './device-process.ts';
import { readKeys, type Keys } from './keys.ts';
import { mouseButtons, type DeviceCommand, type Point } from './device-commands.ts';
import type { OwnInput } from './own-input.ts';
import { onScreen, toScreen, type SeenScreen } from './screen-points.ts';

const longestSide = 1_024;
const maxTextLength = 10_000;
const maxTicks = 100;
const maxDelayMs = 10_000;
/** Between two pieces a call can be cancelled. */
const pieceLength = 16;

const number = (what: string) => z.number().int().describe(what);
const seen = {
  screenWidth: number('Width of the screenshot that you saw, in pixels').optional(),
  screenHeight: number('Height of the screenshot that you saw, in pixels').optional(),
};

export interface ComputerNeeds {
  /** Throws `computerFailed` when the display is gone. */
  device(): Device;
  ownInput: OwnInput;
}

interface Definition<Input extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  /** What a rule names: the screen, the mouse, the keyboard. */
  resource: 'screen' | 'mouse' | 'keyboard';
  input: Input;
  /** What the person reads before it is done. Throws `badArguments` for what cannot be done at all. */
  describe(input: z.infer<Input>): string;
  asks?(input: z.infer<Input>): string;
  run(input: z.infer<Input>, context: RunContext): Promise<ToolResult>;
}

const define = <Input extends z.ZodType>({
  resource,
  describe,
  asks,
  ...tool
}: Definition<Input>): DaemonTool =>
  defineTool({
    ...tool,
    group: 'computer',
    category: 'computer',
    effect: resource === 'screen' ? 'reads' : 'destroys',
    asks: (input) => asks?.(input) ?? `${describe(input)}?`,
    resources: async (input): Promise<Resource[]> => [
      { toolGroup: 'computer', resource, description: describe(input) },
    ],
  });

const shortcut = ({ key, modifiers }: Keys) => [...modifiers, key].join(' + ');

const pieces = (text: string): string[] => text.match(new RegExp(`.{1,${pieceLength}}`, 'gsu')) ?? [];

const place = ({ device }: ComputerNeeds, [x, y]: readonly [number, number], size: SeenScreen): Point =>
  toScreen({ x, y }, size, device().screen());

const act = async ({ device, ownInput }: ComputerNeeds, command: DeviceCommand): Promise<ToolResult> => {
  await ownInput.during(() => device().execute(command));
  return textResult('ok');
};

const screenTools = ({ device }: ComputerNeeds): DaemonTool[] => {
  const picture = async (command: Extract<DeviceCommand, { kind: 'capture' }>): Promise<ToolResult> => {
    const data = await device().execute(command);
    if (data === undefined) throw errors.computerFailed();
    return { content: [{ type: 'image', data, mimeType: 'image/jpeg' }] };
  };
  return [
    define({
      name: 'screen_screenshot',
      title: 'Screenshot',
      description: 'Take a picture of the main screen: a JPEG, at most 1024 pixels on its longer side.',
      resource: 'screen',
      input: z.strictObject({}),
      describe: () => 'Take a screenshot of the whole screen',
      run: () => picture({ kind: 'capture', longestSide }),
    }),
    define({
      name: 'screen_screenshot_region',
      title: 'Screenshot of a part',
      description: 'Take a picture of a part of the main screen, given in pixels of the screen.',
      resource: 'screen',
      input: z.strictObject({
        x: number('Left side'),
        y: number('Top side'),
        width: number('Width'),
        height: number('Height'),
      }),
      describe: ({ x, y, width, height }) =>
        `Take a screenshot of a part of the screen: ${width} x ${height} at ${x}, ${y}`,
      run: (area) => picture({ kind: 'capture', longestSide, area: onScreen(area, device().screen()) }),
    }),
  ];
};

const mouseTools = (needs: ComputerNeeds): DaemonTool[] => [
  define({
    name: 'mouse_move',
    title: 'Move mouse',
    description: 'Move the mouse to a point.',
    resource: 'mouse',
    input: z.strictObject({ x: number('From the left'), y: number('From the top'), ...seen }),
    describe: ({ x, y }) => `Move the mouse to ${x}, ${y}`,
    run: ({ x, y, ...size }) => act(needs, { kind: 'move', to: place(needs, [x, y], size) }),
  }),
  define({
    name: 'mouse_click',
    title: 'Click',
    description: 'Move the mouse to a point and click.',
    resource: 'mouse',
    input: z.strictObject({
      x: number('From the left'),
      y: number('From the top'),
      button: z.enum(mouseButtons).optional().describe('Which button (default: left)'),
      ...seen,
    }),
    describe: ({ x, y, button = 'left' }) => `Click with the ${button} mouse button at ${x}, ${y}`,
    run: ({ x, y, button = 'left', ...size }) =>
      act(needs, { kind: 'click', at: place(needs, [x, y], size), button, double: false }),
  }),
  define({
    name: 'mouse_double_click',
    title: 'Double click',
    description: 'Move the mouse to a point and click twice.',
    resource: 'mouse',
    input: z.strictObject({ x: number('From the left'), y: number('From the top'), ...seen }),
    describe: ({ x, y }) => `Double-click at ${x}, ${y}`,
    run: ({ x, y, ...size }) =>
      act(needs, { kind: 'click', at: place(needs, [x, y], size), button: 'left', double: true }),
  }),
  define({
    name: 'mouse_drag',
    title: 'Drag',
    description: 'Press the left mouse button at a point and release it at another.',
    resource: 'mouse',
    input: z.strictObject({
      fromX: number('Start, from the left'),
      fromY: number('Start, from the top'),
      toX: number('End, from the left'),
      toY: number('End, from the top'),
      ...seen,
    }),
    describe: ({ fromX, fromY, toX, toY }) => `Drag the mouse from ${fromX}, ${fromY} to ${toX}, ${toY}`,
    run: ({ fromX, fromY, toX, toY, ...size }) =>
      act(needs, {
        kind: 'drag',
        from: place(needs, [fromX, fromY], size),
        to: place(needs, [toX, toY], size),
      }),
  }),
  define({
    name: 'mouse_scroll',
    title: 'Scroll',
    description: 'Move the mouse to a point and turn its wheel.',
    resource: 'mouse',
    input: z.strictObject({
      x: number('From the left'),
      y: number('From the top'),
      direction: z.enum(['up', 'down', 'left', 'right']).describe('Where to'),
      amount: z.number().int().min(1).max(maxTicks).describe('How many ticks'),
      ...seen,
    }),
    describe: ({ x, y, direction, amount }) => `Scroll ${direction} by ${amount} at ${x}, ${y}`,
    run: ({ x, y, direction, amount, ...size }) => {
      const right = direction === 'right' ? amount : direction === 'left' ? -amount : 0;
      const down = direction === 'down' ? amount : direction === 'up' ? -amount : 0;
      return act(needs, { kind: 'scroll', at: place(needs, [x, y], size), right, down });
    },
  }),
];

const keyboardTools = (needs: ComputerNeeds): DaemonTool[] => [
  define({
    name: 'keyboard_type',
    title: 'Type text',
    description: 'Type a text with the keyboard.',
    resource: 'keyboard',
    input: z.strictObject({
      text: z.string().min(1).max(maxTextLength).describe('The text'),
      delayMs: z
        .number()
        .int()
        .min(0)
        .max(maxDelayMs)
        .optional()
        .describe('Milliseconds to wait first (default 0)'),
    }),
    describe: ({ text }) => `Type with the keyboard: ${text}`,
    asks: ({ text }) => `Type ${textWords(text)} with the keyboard?`,
    run: ({ text, delayMs }, { clock, signal }) =>
      needs.ownInput.during(async () => {
        if (delayMs !== undefined && delayMs > 0) await sleep(clock, delayMs, signal);
        for (const piece of pieces(text)) {
          signal.throwIfAborted();
          await needs.device().execute({ kind: 'type', text: piece });
        }
        return textResult('ok');
      }),
  }),
  define({
    name: 'keyboard_key_tap',
    title: 'Press key',
    description:
      'Press and release one key: a character, or enter, escape, tab, backspace, delete, space, up, down, left, right, home, end, pageup, pagedown, insert, capslock, printscreen, menu, f1 to f24, numpad_0 to numpad_9, audio_mute and the like.',
    resource: 'keyboard',
    input: z.strictObject({ key: z.string().min(1).max(40).describe('The key') }),
    describe: ({ key }) => `Press the key ${shortcut(readKeys([key]))}`,
    asks: ({ key }) => `Press the key ${textWords(shortcut(readKeys([key])))}?`,
    run: ({ key }) => act(needs, { kind: 'tap', ...readKeys([key]) }),
  }),
  define({
    name: 'keyboard_shortcut',
    title: 'Press keys together',
    description: 'Hold keys (shift, control, alt, command) and press another: ["control", "t"].',
    resource: 'keyboard',
    input: z.strictObject({
      keys: z
        .array(z.string().min(1).max(40))
        .min(1)
        .max(5)
        .describe('The keys; the last one is pressed while the others are held'),
    }),
    describe: ({ keys }) => `Press the keys ${shortcut(readKeys(keys))}`,
    asks: ({ keys }) => `Press the keys ${textWords(shortcut(readKeys(keys)))}?`,
    run: ({ keys }) => act(needs, { kind: 'tap', ...readKeys(keys) }),
  }),
];

/** The ten tools, with the names and inputs of the published daemons. */
export const createComputerTools = (needs: ComputerNeeds): DaemonTool[] => [
  ...screenTools(needs),
  ...mouseTools(needs),
  ...keyboardTools(needs),
];
