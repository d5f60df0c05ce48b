import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first file among the candidates that can be executed. */
export const findExecutable = (candidates: string[]): string | undefined => candidates.find(isExecutable)

/** Where a command would be found on PATH. */
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
