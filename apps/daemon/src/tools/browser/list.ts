import { z } from 'zod';
import { flag } from '../common/inputs.ts';
import { maxSide, maxTypedChars, maxUploadFiles, maxUrlChars, minSide } from './limits.ts';

/** One tool of `@playwright/mcp` as it is offered: without file names of the caller's, and with limits. */
export interface ListedTool {
  name: string;
  title: string;
  description: string;
  effect: 'reads' | 'destroys';
  input: z.ZodType<Record<string, unknown>>;
}

const maxTargetChars = 2_000;
const maxFields = 100;
const maxValues = 100;

const elementText =
  'Human-readable element description used to obtain permission to interact with the element';
const targetText = 'Exact target element reference from the page snapshot, or a unique element selector';
const element = z.string().max(maxTargetChars).optional().describe(elementText);
const target = z.string().max(maxTargetChars).describe(targetText);
const text = z.string().max(maxTypedChars);
const short = z.string().max(maxTargetChars);

const tool = (
  name: string,
  about: { title: string; description: string; effect: ListedTool['effect'] },
  shape: z.ZodRawShape,
): ListedTool => ({ name, ...about, input: z.strictObject(shape) });

const reads = (title: string, description: string) => ({ title, description, effect: 'reads' as const });
const acts = (title: string, description: string) => ({ title, description, effect: 'destroys' as const });

const side = (what: string) => z.number().min(minSide).max(maxSide).describe(`${what} of the browser window`);

/** A static list, so that a start loads no browser; a test compares it with the package. */
export const listedTools: readonly ListedTool[] = [
  tool('browser_close', acts('Close browser', 'Close the page'), {}),
  tool('browser_resize', acts('Resize browser window', 'Resize the browser window'), {
    width: side('Width'),
    height: side('Height'),
  }),
  tool('browser_console_messages', reads('Get console messages', 'Returns all console messages'), {
    level: z
      .enum(['error', 'warning', 'info', 'debug'])
      .default('info')
      .describe(
        'Level of the console messages to return. Each level includes the messages of more severe levels. Defaults to "info".',
      ),
    all: flag(
      'Return all console messages since the beginning of the session, not just since the last navigation. Defaults to false.',
    ),
  }),
  tool('browser_handle_dialog', acts('Handle a dialog', 'Handle a dialog'), {
    accept: z.boolean().describe('Whether to accept the dialog.'),
    promptText: text.optional().describe('The text of the prompt in case of a prompt dialog.'),
  }),
  tool('browser_file_upload', acts('Upload files', 'Upload one or multiple files'), {
    paths: z
      .array(z.string())
      .max(maxUploadFiles)
      .optional()
      .describe('Paths of the files, relative to the folder. If omitted, file chooser is cancelled.'),
  }),
  tool(
    'browser_find',
    reads(
      'Find in page snapshot',
      'Search the accessibility snapshot of the current page for text or a regular expression. Returns matching snapshot nodes with a few lines of surrounding context (like search snippets), each shown under its path from the root of the tree, which is cheaper than capturing the whole snapshot when you only need to locate an element and its ref.',
    ),
    {
      text: short
        .optional()
        .describe('Plain text to search for in the page snapshot (case-insensitive substring match).'),
    },
  ),
  tool('browser_fill_form', acts('Fill form', 'Fill multiple form fields'), {
    fields: z
      .array(
        z.strictObject({
          element,
          target,
          name: short.describe('Human-readable field name'),
          type: z.enum(['textbox', 'checkbox', 'radio', 'combobox', 'slider']).describe('Type of the field'),
          value: text.describe(
            'Value to fill in the field. If the field is a checkbox, the value should be `true` or `false`. If the field is a combobox, the value should be the text of the option.',
          ),
        }),
      )
      .max(maxFields)
      .describe('Fields to fill in'),
  }),
  tool('browser_press_key', acts('Press a key', 'Press a key on the keyboard'), {
    key: z
      .string()
      .max(64)
      .describe('Name of the key to press or a character to generate, such as `ArrowLeft` or `a`'),
  }),
  tool('browser_type', acts('Type text', 'Type text into editable element'), {
    element,
    target,
    text: text.describe('Text to type into the element'),
    submit: flag('Whether to submit entered text (press Enter after)'),
    slowly: flag(
      'Whether to type one character at a time. Useful for triggering key handlers in the page. By default entire text is filled in at once.',
    ),
  }),
  tool('browser_navigate', acts('Navigate to a URL', 'Navigate to a URL'), {
    url: z.string().max(maxUrlChars).describe('The URL to navigate to'),
  }),
  tool('browser_navigate_back', acts('Go back', 'Go back to the previous page in the history'), {}),
  tool(
    'browser_network_requests',
    reads('List network requests', 'Returns a numbered list of network requests since loading the page.'),
    {
      static: z
        .boolean()
        .default(false)
        .describe(
          'Whether to include successful static resources like images, fonts, scripts, etc. Defaults to false.',
        ),
    },
  ),
  tool(
    'browser_take_screenshot',
    reads(
      'Take a screenshot',
      "Take a screenshot of the current page. You can't perform actions based on the screenshot, use browser_snapshot for actions.",
    ),
    {
      element,
      target: target.optional(),
      type: z
        .enum(['png', 'jpeg', 'webp'])
        .optional()
        .describe('Image format for the screenshot (default png).'),
      fullPage: flag(
        'When true, takes a screenshot of the full scrollable page, instead of the currently visible viewport. Cannot be used with element screenshots.',
      ),
      scale: z
        .enum(['css', 'device'])
        .default('css')
        .describe(
          'Image resolution scale. "css" produces a screenshot sized in CSS pixels (smaller, consistent across devices). "device" produces a high-resolution screenshot using device pixels (larger, accounts for the device pixel ratio). Default is css.',
        ),
    },
  ),
  tool(
    'browser_snapshot',
    reads(
      'Page snapshot',
      'Capture accessibility snapshot of the current page, this is better than screenshot',
    ),
    {
      target: target.optional(),
      depth: z.number().optional().describe('Limit the depth of the snapshot tree'),
      boxes: flag(
        "Include each element's bounding box as [box=x,y,width,height] in the snapshot. Coordinates are viewport-relative, in CSS pixels (Element.getBoundingClientRect)",
      ),
    },
  ),
  tool('browser_click', acts('Click', 'Perform click on a web page'), {
    element,
    target,
    doubleClick: flag('Whether to perform a double click instead of a single click'),
    button: z.enum(['left', 'right', 'middle']).optional().describe('Button to click, defaults to left'),
    modifiers: z
      .array(z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift']))
      .max(5)
      .optional()
      .describe('Modifier keys to press'),
  }),
  tool('browser_drag', acts('Drag mouse', 'Perform drag and drop between two elements'), {
    startElement: element.describe(
      'Human-readable source element description used to obtain the permission to interact with the element',
    ),
    startTarget: target,
    endElement: element.describe(
      'Human-readable target element description used to obtain the permission to interact with the element',
    ),
    endTarget: target,
  }),
  tool('browser_hover', acts('Hover mouse', 'Hover over element on page'), { element, target }),
  tool('browser_select_option', acts('Select option', 'Select an option in a dropdown'), {
    element,
    target,
    values: z
      .array(short)
      .max(maxValues)
      .describe('Array of values to select in the dropdown. This can be a single value or multiple values.'),
  }),
  tool('browser_tabs', acts('Manage tabs', 'List, create, close, or select a browser tab.'), {
    action: z.enum(['list', 'new', 'close', 'select']).describe('Operation to perform'),
    index: z
      .number()
      .optional()
      .describe('Tab index, used for close/select. If omitted for close, current tab is closed.'),
    url: z.string().max(maxUrlChars).optional().describe('URL to navigate to in the new tab, used for new.'),
  }),
  tool(
    'browser_wait_for',
    reads('Wait for', 'Wait for text to appear or disappear or a specified time to pass'),
    {
      time: z.number().optional().describe('The time to wait in seconds, at most 30'),
      text: short.optional().describe('The text to wait for'),
      textGone: short.optional().describe('The text to wait for to disappear'),
    },
  ),
];
