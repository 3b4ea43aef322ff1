/** Of each project: two cores are busy with four, because tests of whole processes wait for much. */
export const maxWorkers = 4;
