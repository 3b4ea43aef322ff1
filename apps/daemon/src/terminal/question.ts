import type { AffectedResource, ConfirmationPayload } from '@drawbridge/contracts';
import { visible, visibleLines } from '../permission/index.ts';
import { foldLine } from './fold.ts';

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

const drawResource = (
  { toolGroup, resource, description }: AffectedResource,
  columns: number | undefined,
): string[] => {
  const words = `  ${visible(toolGroup)}: ${visible(description)}`;
  return [columns === undefined ? words : foldLine(words, columns), indent(visible(resource))];
};

/**
 * A question as it is drawn in the terminal: every resource in full, with nothing in it that could move what is seen.
 * What describes a resource is folded at a width in columns; the resource itself is left as it is.
 */
export const drawQuestion = (question: ConfirmationPayload, columns?: number): string => {
  const { preview } = question;
  const resources = question.resources ?? [question];
  return [
    '',
    'A call wants to',
    ...resources.flatMap((resource) => drawResource(resource, columns)),
    ...(preview === undefined ? [] : ['', indent(visibleLines(preview.text))]),
    ...(preview?.truncated === true ? ['    (the rest of the change is not shown)'] : []),
    '',
  ].join('\n');
};
