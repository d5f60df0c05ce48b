import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'

const line = /^(export\s+)?COBRO_WEBHOOK_SECRET=.*$/m

/** Puts the secret into a file of environment variables, and leaves everything else in it as it is. */
export function writeSecret(file: string, secret: string): void {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const mode = existsSync(file) ? statSync(file).mode & 0o700 : 0o600
  const assignment = `COBRO_WEBHOOK_SECRET=${secret}`
  const ended = text === '' || text.endsWith('\n') ? text : `${text}\n`
  // A function, since a text may contain patterns such as $&.
  const changed = line.test(text)
    ? text.replace(line, (_all, prefix = '') => prefix + assignment)
    : `${ended}${assignment}\n`
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, changed, { mode })
  renameSync(draft, file)
}
