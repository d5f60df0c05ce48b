import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'

let piped: string[] | undefined

/** Asks on the terminal without showing what is typed. Without a terminal each question takes a line of standard input. */
export async function askHidden(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    piped ??= (await text(process.stdin)).split('\n').map(line => line.trim())
    return piped.shift() ?? ''
  }
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  // The terminal stops its own echo here, so before the question: some answers are pasted at once.
  const terminal = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  process.stderr.write(question)
  const answer = await terminal.question('')
  terminal.close()
  process.stderr.write('\n')
  return answer
}
