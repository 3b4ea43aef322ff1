import type { CallError } from '@drawbridge/contracts/calls';
import type { ToolResult } from '@drawbridge/contracts/tool-result';

const sentence = (reason: string) => `The person gave a reason: ${reason}`;

/** A denied call's end with the person's reason, so that the caller reads it at every door. */
export const withReason = <End extends { result: ToolResult | null; error: CallError | null }>(
  end: End,
  reason: string,
): End => {
  const { result, error } = end;
  const text = { type: 'text', text: sentence(reason) } as const;
  return {
    ...end,
    result: result && { ...result, content: [...result.content, text] },
    error: error && { ...error, message: `${error.message}. ${sentence(reason)}` },
  };
};
