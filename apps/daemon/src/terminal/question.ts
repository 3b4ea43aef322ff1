import type { AffectedResource, ConfirmationPayload } from '@drawbridge/contracts';
import { visible, visibleLines } from '../permission/index.ts';

const indent = (text: string): string =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

const drawResource = ({ toolGroup, resource, description }: AffectedResource): string[] => [
  `  ${visible(toolGroup)}: ${visible(description)}`,
  indent(visible(resource)),
];

/** A question as it is drawn in the terminal: every resource in full, with nothing in it that could move what is seen. */
export const drawQuestion = (question: ConfirmationPayload): string => {
  const { preview } = question;
  const resources = question.resources ?? [question];
  return [
    '',
    'A call wants to',
    ...resources.flatMap(drawResource),
    ...(preview === undefined ? [] : ['', indent(visibleLines(preview.text))]),
    ...(preview?.truncated === true ? ['    (the rest of the change is not shown)'] : []),
    '',
  ].join('\n');
};
