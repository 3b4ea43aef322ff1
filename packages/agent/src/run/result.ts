import { cutResult } from '../prompt/cut-result.ts';
import { maskSecrets } from '../prompt/mask-secrets.ts';
import type { ResultPart, ToolCallRow } from '../rows.ts';
import type { ToolOutcome } from '../tools/tool.ts';

type Result = Extract<ToolOutcome, { type: 'result' }>;

interface Prepared {
  parts: ResultPart[];
  /** The whole text, where the parts are cut. */
  whole: string | null;
  /** The agent has text from outside in its context from now on. */
  isTainting: boolean;
}
