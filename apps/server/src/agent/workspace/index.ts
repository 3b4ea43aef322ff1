export { openWorkspaces, type Workspaces } from './open-workspaces.ts';
