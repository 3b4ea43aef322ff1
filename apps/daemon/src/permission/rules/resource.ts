import type { ToolGroup } from '@drawbridge/contracts/groups';

/**
 * One thing that a call would touch. `resource` is exact: a resolved path (one that ends in `/` stands for the folder and
 * all below it), a command with its working folder, a host, `<server>/<tool>`. `description` is what a person reads.
 */
export interface Resource {
  toolGroup: ToolGroup;
  resource: string;
  description: string;
  /** Other spellings of the same thing, such as the path as it was typed: a deny rule meets these too. */
  aliases?: readonly string[];
  /** A digest of what stands behind the name, such as an MCP tool's description and command: another one is not what was allowed. */
  fingerprint?: string;
  /** Too close to home for a mode that allows the whole group: only a rule or an answer about exactly this allows it. */
  explicit?: true;
  /** A yes holds for one call: none that lasts is offered. */
  once?: true;
  /** Of an MCP tool: a digest of its server's command, which a rule for all tools of the server holds for. */
  serverFingerprint?: string;
  /**
   * Of a command in the sandbox that consists of plain words, of a program that may be allowed with further ones: a digest of the
   * program's file, which such a rule holds for.
   */
  programFingerprint?: string;
  /** Of a path: the real folder that a person may open instead of this one path, with a `/` at its end. */
  folder?: string;
}
