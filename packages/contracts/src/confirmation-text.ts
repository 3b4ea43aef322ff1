import { z } from 'zod';
import { confirmationPayload, type ConfirmationPayload } from './confirmation-payload.ts';
import type { ToolResult } from './tool-result.ts';

/** The prefix of a daemon's question. Specification 6.2; read and written only in this file. */
const prefix = 'GATEWAY_CONFIRMATION_REQUIRED::';

const jsonText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** n8n's published daemon wraps every error text once more. */
const wrapped = z.strictObject({ error: z.string() });

const unwrap = (text: string): string => {
  if (text.startsWith(prefix)) return text;
  const inner = wrapped.safeParse(jsonText(text));
  return inner.success ? inner.data.error : text;
};

/**
 * Text <-> payload. Decodes the plain text and the form `{"error":"…"}`; encodes the plain text.
 * Use it only on the whole first text block of a result with `isError`.
 */
export const confirmationText = z.codec(z.string(), confirmationPayload, {
  decode: (text, context) => {
    const plain = unwrap(text);
    const value = plain.startsWith(prefix) ? jsonText(plain.slice(prefix.length)) : undefined;
    const parsed = confirmationPayload.safeParse(value);
    if (parsed.success) return parsed.data;
    context.issues.push({ code: 'custom', input: text, message: 'not a confirmation text' });
    return z.NEVER;
  },
  encode: (payload) => prefix + JSON.stringify(payload),
});

/** The question that a result asks the user: the whole first text block of an error, and nothing else. */
export const questionOf = (result: ToolResult | undefined): ConfirmationPayload | undefined => {
  const first = result?.isError === true ? result.content[0] : undefined;
  return first?.type === 'text' ? confirmationText.safeDecode(first.text).data : undefined;
};
