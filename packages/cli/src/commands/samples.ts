import type { Command } from 'commander'
import { type GlobalOptions, profileOf } from '../connection/connect.ts'
import { printLine, tell } from '../output/print.ts'
import { createSample, sampleNames } from '../samples/create-sample.ts'

/** What to do in the folder of a new sample. */
const firstSteps: Readonly<Record<string, string>> = {
  receiver:
    'npm install && cobro listen --forward-to http://localhost:4242/webhooks --write-secret .env --detach && npm start',
}

/** Adds `samples create`, which writes a program to start from. */
export function addSampleCommands(program: Command, samplesFolder: string): void {
  const samples = program.command('samples').description('Programs to start from')
  samples
    .command('create')
    .description('Write a sample into a new folder')
    .argument('<name>', `one of ${sampleNames(samplesFolder).join(', ')}`)
    .argument('[folder]', 'by default the name')
    .action((name: string, given: string | undefined, _options, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>()
      const folder = given ?? name
      const files = createSample({ samplesFolder, name }, { folder, baseUrl: profileOf(options).profile.base_url })
      for (const file of files) printLine(`${folder}/${file}`)
      if (!options.quiet) tell(`Next: cd ${folder} && ${firstSteps[name]}`)
    })
}
