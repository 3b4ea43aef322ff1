import type { Preview } from '@drawbridge/contracts/preview';
import { allowedLimits, type ToolResult } from '@drawbridge/contracts/tool-result';
import { cutText } from '@drawbridge/kit';
import { describeRule, type Rule } from '../permission/index.ts';
import { changesSomething, type DaemonTool } from './common/tool.ts';

/** As JSON, in UTF-16 code units: a result is stored with each call. */
const maxPreviewLength = 32_768;

/**
 * Runs a call that was allowed without a question. Adds to its result which rules allowed it, and what it
 * changed; nothing where the modes alone allow it and there is no preview.
 */
export const withAllowance = async (
  tool: DaemonTool,
  rules: readonly Rule[],
  call: { preview(): Promise<Preview | undefined>; run(): Promise<ToolResult> },
): Promise<ToolResult> => {
  // The old text is there only before the call runs. A file that has no preview is no reason to fail.
  const preview = changesSomething(tool) ? await call.preview().catch(() => undefined) : undefined;
  const result = await call.run();
  const isKept = result.isError !== true && preview && JSON.stringify(preview).length <= maxPreviewLength;
  if (rules.length === 0 && !isKept) return result;
  const allowed = {
    rules: rules.slice(0, allowedLimits.rules).map((rule) => {
      const { label, covers } = describeRule(rule);
      return { label: cutText(label, allowedLimits.labelLength), covers };
    }),
    ...(isKept && { preview }),
  };
  return { ...result, _meta: { ...result._meta, 'drawbridge/allowed': allowed } };
};
