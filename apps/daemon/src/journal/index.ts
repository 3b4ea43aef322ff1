export { openJournal, type Recovered, type Journal } from './journal.ts';
export { missingFromJournal } from './lost.ts';
export { journalFolder, openJournalDirectory } from './journal-directory.ts';
