import type { Confirmation } from '@drawbridge/contracts/confirmation';
import { channelLimits } from '@drawbridge/contracts/outside/channels';
import { noticeLimits } from '@drawbridge/contracts/outside/notifications';
import { previewRows, rowSigns } from '@drawbridge/contracts/preview-rows';
import { piecesOf, visible, visibleLines } from '@drawbridge/kit';

/** Where a question is shown: what of it, and whether that fits. */
export interface QuestionForm {
  /** Whether it shows questions of the agent about that tool. */
  showsTool(toolName: string): boolean;
  rowsOf(question: Confirmation, resources: Confirmation['resources']): string[];
  /** The host of an address that the message asks about. */
  hostRows(message: string, host: string): string[];
  /** Null for what does not fit, or is shown in another order. */
  toText(rows: readonly string[]): string | null;
}

/** Hidden characters, and runs of marks or spaces, are written out. */
const draw = (text: string, plain: (text: string) => string): string =>
  piecesOf(text)
    .map((piece) => (piece.kind === 'plain' ? plain(piece.text) : piece.text))
    .join('');
export const line = (text: string): string => draw(text, visible);
export const lines = (text: string): string => draw(text, visibleLines);

const isReordered = (text: string) => piecesOf(text).some(({ kind }) => kind === 'right-to-left');

const previewLines = (preview: NonNullable<Confirmation['preview']>): string[] =>
  previewRows(preview).map(({ kind, text }) => `${rowSigns[kind]} ${lines(text)}`);

/** Changes what later runs read. */
const rememberTool = 'remember';

/** In a message of a chat: markdown with one block of code, where nothing is markup. */
export const chatForm: QuestionForm = {
  showsTool: (toolName) => toolName !== rememberTool,
  rowsOf: ({ title, description, tool, preview, arguments: args }, resources) => [
    line(title ?? description),
    `Tool: ${line(tool)}`,
    ...resources.flatMap((one) => [`${one.toolGroup}: ${line(one.description)}`, `  ${line(one.resource)}`]),
    ...(preview === null ? [`Arguments: ${lines(JSON.stringify(args, null, 1))}`] : previewLines(preview)),
  ],
  hostRows: (_message, host) => [`Host: ${line(host)}`],
  toText: (rows) => {
    const text = rows.join('\n');
    if (text.length > channelLimits.questionLength || isReordered(text)) return null;
    const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length));
    const fence = '`'.repeat(longest + 1);
    return `${fence}\n${text}\n${fence}`;
  },
};

/** Characters outside of the Latin ones may be twice as wide. */
const columnsOf = (text: string): number =>
  [...text].reduce((columns, character) => columns + (character > '\u024F' ? 2 : 1), 0);

/** A chat of the panel has further tools: commands in a workspace, workflows, MCP servers. */
const noticeTools = new Set(['web-search', 'send_file']);

/** In a notification, which has few lines and no markup. */
export const noticeForm: QuestionForm = {
  showsTool: (toolName) => noticeTools.has(toolName),
  rowsOf: ({ title, description, tool, preview, arguments: args }, resources) => [
    `${line(title ?? description)} (${line(tool)})`,
    ...resources.flatMap((one) => {
      const about = line(one.description);
      const resource = line(one.resource);
      return about.includes(resource) ? [about] : [about, `${one.toolGroup}: ${resource}`];
    }),
    ...(preview === null ? [lines(JSON.stringify(args))] : previewLines(preview)),
  ],
  hostRows: (message, host) => (message.includes(host) ? [] : [`Host: ${line(host)}`]),
  toText: (rows) => {
    const text = rows.join('\n');
    const { lines: most, columns } = noticeLimits;
    const shown = text.split('\n').map((row) => Math.max(1, Math.ceil(columnsOf(row) / columns)));
    const isWhole = shown.reduce((sum, count) => sum + count, 0) <= most;
    return isWhole && !isReordered(text) ? text : null;
  },
};
