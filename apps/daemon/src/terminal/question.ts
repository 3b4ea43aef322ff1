import type { AffectedResource, ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { personCallerId, type RequestCaller } from '@drawbridge/contracts/daemon-event';
import { toPreview, type SentPreview } from '@drawbridge/contracts/preview';
import { previewRows, rowSigns } from '@drawbridge/contracts/preview-rows';
import { warningsOf, warningWords } from '@drawbridge/kit';
import { drawLines, drawText } from './draw-text.ts';
import { wrapHard, wrapLine } from '../text/wrap.ts';

const indent = '    ';

/** A line of a diff, which may have been indented by its author: broken at the edge, not between words. */
const inFull = (before: string, text: string, columns: number | undefined): string =>
  columns === undefined ? before + text : wrapHard(before, text, columns);

const wrapTo = (columns: number | undefined) => (line: string) =>
  columns === undefined ? line : wrapLine(line, columns);

const careful = (text: string): string[] =>
  warningsOf(text).map((warning) => `${indent}! ${warningWords[warning]}`);

const drawResource = (
  { toolGroup, resource, description }: AffectedResource,
  columns: number | undefined,
): string[] => [
  wrapTo(columns)(`  ${drawText(toolGroup)}: ${drawText(description)}`),
  indent + drawText(resource),
  ...careful(`${resource}\n${description}`).map(wrapTo(columns)),
];

const drawPreview = (sent: SentPreview, columns: number | undefined): string[] => {
  const rows = previewRows(toPreview(sent));
  const kept = rows.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
  return [
    '',
    ...rows.map(({ kind, text }) =>
      inFull(`${indent}${rowSigns[kind]} `, drawLines(text), columns).trimEnd(),
    ),
    ...careful(kept.join('\n')).map(wrapTo(columns)),
  ];
};

/** The server says who it is; this machine cannot know it. */
const drawCaller = ({ id, name }: RequestCaller): string =>
  id === personCallerId ? '  Asked in the panel' : `  Asked by ${drawText(name)}, the server says`;

/** A question as text. Descriptions and diffs are wrapped at `columns`; every resource in full, escaped. */
export const drawQuestion = (
  question: ConfirmationPayload,
  { columns, caller }: { columns?: number | undefined; caller?: RequestCaller | undefined } = {},
): string => {
  const { preview, title } = question;
  const resources = question.resources ?? [question];
  return [
    '',
    wrapTo(columns)(title === undefined ? 'A call wants to' : drawText(title)),
    ...(caller === undefined ? [] : [wrapTo(columns)(drawCaller(caller))]),
    ...resources.flatMap((resource) => drawResource(resource, columns)),
    ...(preview === undefined ? [] : drawPreview(preview, columns)),
    '',
  ].join('\n');
};
