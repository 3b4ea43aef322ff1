export { fetchOffered, fetchPackage } from './download.ts';
export { errors as installErrors } from './errors.ts';
export { isThere, keepForeign, launcherState, pathLine, putLauncher, removeLauncher } from './launcher.ts';
export { fromPackage } from './npm.ts';
export { currentProgram, installedPlaces, npxFolder } from '../program/places.ts';
export {
  addVersion,
  copyOf,
  currentName,
  currentRelease,
  removeOthers,
  useVersion,
  type NewVersion,
} from './versions.ts';
