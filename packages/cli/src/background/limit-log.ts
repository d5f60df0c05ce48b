import { fstatSync, ftruncateSync } from 'node:fs'

const maxBytes = 10 * 1024 ** 2
const checkMs = 10_000

/** Keeps the log of this process small while it runs. */
export function limitLog(): void {
  setInterval(() => startOver(process.stdout.fd, maxBytes), checkMs).unref()
}

/** Empties a file that has more bytes. Its process has to append, or what it writes next follows a gap. */
export function startOver(file: number, bytes: number): void {
  if (fstatSync(file).size > bytes) ftruncateSync(file)
}
