import type { Call } from '@drawbridge/contracts/calls';
import { restBase } from '@drawbridge/contracts/rest';

/** JSON in printable ASCII: no hidden character and no line break gets into a terminal. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same call as a command for a POSIX shell. The token is a variable, never a value. */
export const curlText = (call: Pick<Call, 'tool' | 'arguments'>, origin: string): string =>
  [
    `curl -f ${quoted(`${origin}${restBase}/calls`)}`,
    `-H "Authorization: Bearer $DRAWBRIDGE_TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `--data-raw ${quoted(asciiJson({ name: call.tool, arguments: call.arguments }))}`,
  ].join(' \\\n  ');
