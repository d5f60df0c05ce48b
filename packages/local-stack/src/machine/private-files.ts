import { mkdirSync, renameSync, writeFileSync } from 'node:fs'

/** Creates a directory that only its owner can read. */
export const makePrivateFolder = (dir: string) => void mkdirSync(dir, { recursive: true, mode: 0o700 })

/** Writes JSON that only its owner can read. Atomic: readers see the old file or the new one. */
export function writePrivateFile(file: string, value: unknown): void {
  const temporary = `${file}.unfinished`
  writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
}
