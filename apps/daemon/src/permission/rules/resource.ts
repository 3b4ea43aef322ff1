import type { ToolGroup } from '@drawbridge/contracts/groups';

/** The groups whose resources are paths. */
export const isPathGroup = (group: string): group is 'filesystemRead' | 'filesystemWrite' =>
  group === 'filesystemRead' || group === 'filesystemWrite';

/**
 * One thing that a call would touch. `resource` is exact: a real path (a trailing `/` includes all below),
 * a command with its folder, a host, `<host> < <command>`, `<server>/<tool>`. `description` is for people.
 */
export interface Resource {
  toolGroup: ToolGroup;
  resource: string;
  description: string;
  /** Other spellings of the same thing, such as the path as it was typed: a deny rule meets these too. */
  aliases?: readonly string[];
  /** A digest of what the name stands for, such as an MCP tool's description: another one is not allowed. */
  fingerprint?: string;
  /** Only an exact rule or answer allows it, whatever the group's mode. */
  explicit?: true;
  /** A yes holds for one call: none that lasts is offered. */
  once?: true;
  /** At most one question about such a thing is open. */
  alone?: true;
  /** A yes holds for the session at most: what it would run is not known by its words. */
  sessionOnly?: true;
  /** Of an MCP tool: a digest of its server's command, which a rule for all tools of the server holds for. */
  serverFingerprint?: string;
  /** Of a sandboxed plain command: a digest of the program's file, for rules with further words. */
  programFingerprint?: string;
  /** Another resource whose allow rule covers this one: pushing to a repository includes fetching from it. */
  includedIn?: string;
  /** Of a host for a sandboxed command: the host for all of these in the same folder. */
  anyCommand?: string;
  /** Of a path: the real folder that a person may open instead of this one path, with a `/` at its end. */
  folder?: string;
}
