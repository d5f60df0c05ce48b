import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Returns the first candidate that is an executable file. */
export const findExecutable = (candidates: string[]): string | undefined => candidates.find(isExecutable)

/** Returns the path of the first of these commands on PATH. */
export const findOnPath = (...names: string[]): string | undefined =>
  findExecutable(names.flatMap(name => (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, name))))

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
