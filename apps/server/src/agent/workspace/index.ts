export { createSwitchedWorkspaces, type SwitchedWorkspaces } from './switched-workspaces.ts';
