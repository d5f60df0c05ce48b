import { buildProgram } from '@cobro/cli/program'
import type { GeneratedPage } from './generated-page.ts'

type Command = ReturnType<typeof buildProgram>

/** Returns the page of the command, written from its command tree. */
export function cliPage(introduction: string): GeneratedPage {
  const program = buildProgram()
  const top = program.commands.filter(({ commands }) => commands.length === 0)
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  const markdown = `${introduction.trim()}

## Options of every command

${optionTable(program)}

${top.map(command => chapterOf(command, '##')).join('\n\n')}

${groups.map(groupChapter).join('\n\n')}
`
  return { path: 'reference/cli', markdown }
}

/** A group with many equal methods is a table; the reference of the API has their fields. */
function groupChapter(group: Command): string {
  const aliases = group.aliases().map(alias => `\`cobro ${alias}\``)
  const also = aliases.length > 0 ? ` Also ${aliases.join(', ')}.` : ''
  const rows = group.commands.map(
    command => `| \`cobro ${group.name()} ${usageOf(command)}\` | ${command.description()} |`,
  )
  return `## cobro ${group.name()}

${group.description()}.${also}

| Command | What it does |
| --- | --- |
${rows.join('\n')}

${group.commands
  .filter(({ options }) => options.some(({ long }) => !sharedOptions.has(String(long))))
  .map(command => chapterOf(command, '###', `${group.name()} `))
  .join('\n\n')}`
}

/** The options that methods of the SDK have in common. */
const sharedOptions = new Set(['--idempotency-key', '--max-items'])

function chapterOf(command: Command, heading: string, prefix = ''): string {
  return [
    `${heading} cobro ${prefix}${command.name()}`,
    `\`cobro ${prefix}${usageOf(command)}\``,
    `${command.description()}.`,
    command.options.length > 0 && optionTable(command),
  ]
    .filter(Boolean)
    .join('\n\n')
}

function usageOf(command: Command): string {
  const ids = command.registeredArguments.map(argument => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name()
    return argument.required ? `<${name}>` : `[${name}]`
  })
  return [command.name(), ...ids].join(' ')
}

function optionTable({ options }: Command): string {
  const rows = options.map(({ flags, description }) => `| \`${flags.replaceAll('|', '\\|')}\` | ${description} |`)
  return `| Option | What it does |\n| --- | --- |\n${rows.join('\n')}`
}
