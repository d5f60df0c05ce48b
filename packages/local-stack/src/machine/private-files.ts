import { mkdirSync, renameSync, writeFileSync } from 'node:fs'

/** Makes a folder that nobody else can look into. */
export const makePrivateFolder = (dir: string) => void mkdirSync(dir, { recursive: true, mode: 0o700 })

/** Writes JSON that nobody else can read. Whoever reads it meanwhile sees the old file or the whole new one. */
export function writePrivateFile(file: string, value: unknown): void {
  const unfinished = `${file}.unfinished`
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
  renameSync(unfinished, file)
}
