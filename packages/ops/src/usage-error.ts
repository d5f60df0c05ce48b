/** Invalid arguments. The usage is printed after the message, and the exit code is 2. */
export class UsageError extends Error {}
