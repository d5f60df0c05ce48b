import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plainFault } from './fault.ts'
import { repository } from './folders.ts'
import { generatedFiles } from './generated-files.ts'
import { runTask } from './task.ts'

await runTask(async () => {
  const files = Object.entries(await generatedFiles()).map(([path, text]) => ({
    path,
    text,
    at: join(repository, path),
  }))
  const stale: typeof files = []
  for (const file of files) {
    const present = await readFile(file.at, 'utf8').catch(() => undefined)
    if (present !== file.text) stale.push(file)
  }
  if (process.argv.includes('--check')) return check(stale.map(({ path }) => path))
  for (const { at, text } of stale) await writeFile(at, text)
  console.log(stale.length === 0 ? 'Nothing has changed.' : stale.map(({ path }) => `written: ${path}`).join('\n'))
  return 0
})

function check(stale: string[]): number {
  if (stale.length === 0) return 0
  throw plainFault(`Not as the code has it: ${stale.join(', ')}. Run npm run generate.`)
}
