import type { AgentSettings, AgentSettingsInput } from '@drawbridge/contracts/agent/settings';
import type { Failure } from '../../api/index.ts';

/** What each form needs. */
export interface FormProps {
  settings: AgentSettings;
  change: (input: AgentSettingsInput) => Promise<Failure | null>;
}

/** An empty field means: not set, or as in the environment. */
export const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** Of an input: a comma separates thousands alone, so `2,50` is refused, not read as 250. */
const digits = String.raw`\s*(\d+|\d{1,3}(,\d{3})+)`;
export const whole = { inputmode: 'numeric', pattern: String.raw`${digits}\s*`, title: 'A whole number' };
export const decimal = {
  inputmode: 'decimal',
  pattern: String.raw`${digits}(\.\d+)?\s*`,
  title: 'A number such as 2.50',
};

/** A browser takes `localhost:5910` for an address with the scheme `localhost`. */
export const httpAddress = {
  type: 'url',
  pattern: String.raw`\s*[hH][tT][tT][pP][sS]?:\/\/.+`,
  title: 'An address with http:// or https://, such as http://127.0.0.1:11434/v1',
};

export const numberOrNull = (text: string): number | null => {
  const value = Number(text.trim().replaceAll(/[\s,_]/g, ''));
  return text.trim() === '' || !Number.isFinite(value) ? null : value;
};

export const textOf = (value: string | number | null): string => (value === null ? '' : String(value));

/** `name=url`, one in a line. */
export const serversOf = (text: string): { name: string; url: string }[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf('=');
      return at < 0
        ? { name: '', url: line }
        : { name: line.slice(0, at).trim(), url: line.slice(at + 1).trim() };
    });
