import { Argument, type Command } from 'commander'

/** Adds `completion`, which prints a script that completes commands in a shell. */
export function addCompletionCommand(program: Command): void {
  program
    .command('completion')
    .description('Print a script that completes commands, for bash, zsh or fish')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .action((shell: keyof typeof scripts) => void process.stdout.write(scripts[shell](wordsOf(program))))
}

/** The words that may follow each command: `''` is the program itself. */
type Words = Readonly<Record<string, readonly string[]>>

function wordsOf(program: Command): Words {
  const groups = program.commands.filter(({ commands }) => commands.length > 0)
  return {
    '': program.commands.flatMap(command => [command.name(), ...command.aliases()]).toSorted(),
    ...Object.fromEntries(
      groups.flatMap(group =>
        [group.name(), ...group.aliases()].map(name => [name, group.commands.map(command => command.name())]),
      ),
    ),
  }
}

const scripts = {
  bash: (words: Words) => `_cobro() {
  local words
  case "\${COMP_CWORD}:\${COMP_WORDS[1]}" in
    1:*) words="${(words[''] ?? []).join(' ')}" ;;
${casesOf(words, (name, verbs) => `    2:${name}) words="${verbs}" ;;`)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _cobro cobro
`,
  zsh: (words: Words) => `#compdef cobro
_cobro() {
  case "$CURRENT:\${words[2]}" in
    2:*) compadd ${(words[''] ?? []).join(' ')} ;;
${casesOf(words, (name, verbs) => `    3:${name}) compadd ${verbs} ;;`)}
  esac
}
compdef _cobro cobro
`,
  fish: (words: Words) => `complete -c cobro -f
complete -c cobro -n __fish_use_subcommand -a "${(words[''] ?? []).join(' ')}"
${casesOf(words, (name, verbs) => `complete -c cobro -n "__fish_seen_subcommand_from ${name}" -a "${verbs}"`)}
`,
}

function casesOf(words: Words, line: (name: string, verbs: string) => string): string {
  return Object.entries(words)
    .filter(([name]) => name !== '')
    .map(([name, verbs]) => line(name, verbs.join(' ')))
    .join('\n')
}
