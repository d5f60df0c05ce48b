import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { repositoryRoot } from '../layout/stack-paths.ts'

/** A mail that the gateway has written to the folder, as its list names it. */
interface ListedMail {
  time: string
  kind: string
  recipient: string
  subject: string
  file: string
}

const shown = 10

/** Returns a line for each of the latest mails of a sandbox, the newest last. */
export function latestMails(folder: string): string[] {
  const list = join(folder, 'mails.ndjson')
  if (!existsSync(list)) return []
  const lines = readFileSync(list, 'utf8').trimEnd().split('\n').slice(-shown)
  return lines.map(line => {
    const { time, kind, recipient, subject, file } = JSON.parse(line) as ListedMail
    const path = join(folder, file)
    const shownPath = path.startsWith(repositoryRoot) ? relative(repositoryRoot, path) : path
    return `  ${time}  ${kind.padEnd(15)} ${recipient}  ${subject}\n    ${shownPath}`
  })
}
