/** A command that was given what it cannot do: the usage follows, and the exit code is 2. */
export class UsageFault extends Error {}
