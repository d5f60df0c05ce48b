import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError } from '../output/failures.ts'

/** npm leaves files of these names out of a package, so they are stored under others. */
const hiddenNames: Readonly<Record<string, string>> = { gitignore: '.gitignore', env: '.env' }

/** Returns the names of the samples in a folder. */
export function sampleNames(samplesFolder: string): string[] {
  return readdirSync(samplesFolder).toSorted()
}

/**
 * Writes a sample into a new or empty folder, with the address of a deployment in it. Returns the names of its files.
 */
export function createSample(
  source: { samplesFolder: string; name: string },
  { folder, baseUrl }: { folder: string; baseUrl: string },
): string[] {
  const names = sampleNames(source.samplesFolder)
  if (!names.includes(source.name)) {
    throw new CommandError(`There is no sample ${source.name}.`, { hint: `Samples: ${names.join(', ')}` })
  }
  if (filesIn(folder).length > 0) throw new CommandError(`The folder ${folder} is not empty.`)
  mkdirSync(folder, { recursive: true })
  const from = join(source.samplesFolder, source.name)
  return readdirSync(from).map(file => {
    const name = hiddenNames[file] ?? file
    const text = readFileSync(join(from, file), 'utf8').replaceAll('{{base_url}}', () => new URL(baseUrl).origin)
    writeFileSync(join(folder, name), text, { flag: 'wx', mode: name === '.env' ? 0o600 : 0o644 })
    return name
  })
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return []
    throw new CommandError(`Cannot write into ${folder}: ${code}.`)
  }
}
