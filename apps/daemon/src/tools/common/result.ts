import type { ToolResult } from '@drawbridge/contracts/tool-result';

/** A result as structured content and, for those who read text, the same as JSON. */
export const jsonResult = (data: Record<string, unknown>): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(data) }],
  structuredContent: data,
});

export const textResult = (text: string): ToolResult => ({ content: [{ type: 'text', text }] });

export const errorResult = (text: string): ToolResult => ({ ...textResult(text), isError: true });
