/** It failed, and what failed has been told already: only the exit code is left. */
export class AlreadyTold extends Error {}
