/** Of each project: two cores are busy with three, because tests of whole processes wait for much. */
export const maxWorkers = 3;
