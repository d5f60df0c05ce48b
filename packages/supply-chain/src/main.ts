import { runCli } from '@cobro/local-stack/cli'
import { userError } from '@cobro/local-stack/user-error'
import { advisories } from './commands/check-advisories.ts'
import { lint } from './commands/lint-packages.ts'
import { release } from './commands/release-images.ts'
import { releasePackages } from './commands/release-packages.ts'
import { sbom } from './commands/write-sboms.ts'

const commands: Record<string, (args: string[]) => Promise<number>> = {
  advisories,
  lint,
  release,
  'release-packages': releasePackages,
  sbom,
}

await runCli(async () => {
  const [name = '', ...args] = process.argv.slice(2)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) throw userError(`Unknown command ${name}: expected one of ${Object.keys(commands).join(', ')}.`)
  return command(args)
})
