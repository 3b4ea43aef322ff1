import type { AffectedResource, ConfirmationPayload } from '@drawbridge/contracts/confirmation-payload';
import { toPreview, type SentPreview } from '@drawbridge/contracts/preview';
import { previewRows, type PreviewRow } from '@drawbridge/contracts/preview-rows';
import { warningsOf, warningWords } from '@drawbridge/kit';
import { drawLines, drawText } from './draw-text.ts';
import { wrapLine } from '../text/wrap.ts';

const indent = '    ';

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

const signs: Record<PreviewRow['kind'], string> = {
  added: '+',
  removed: '-',
  same: ' ',
  gap: '~',
  note: '\\',
  omitted: '!',
};

const drawPreview = (sent: SentPreview): string[] => {
  const rows = previewRows(toPreview(sent));
  const kept = rows.filter(({ kind }) => kind !== 'removed').map(({ text }) => text);
  return [
    '',
    ...rows.map(({ kind, text }) => `${indent}${signs[kind]} ${drawLines(text)}`.trimEnd()),
    ...careful(kept.join('\n')),
  ];
};

/** A question as text: every resource in full, escaped. Only descriptions are wrapped at `columns`. */
export const drawQuestion = (question: ConfirmationPayload, columns?: number): string => {
  const { preview, title } = question;
  const resources = question.resources ?? [question];
  return [
    '',
    title === undefined ? 'A call wants to' : drawText(title),
    ...resources.flatMap((resource) => drawResource(resource, columns)),
    ...(preview === undefined ? [] : drawPreview(preview)),
    '',
  ].join('\n');
};
