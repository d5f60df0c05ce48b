import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { type ExportedEvent, readNdjsonLine } from '../export/export-line.ts'
import type { LogVerifier } from '../integrity/read-log.ts'
import { addPlace, writeRanges } from '../integrity/seq-ranges.ts'
import { signedLeaves } from '../integrity/signed-leaves.ts'
import { leafHash } from '../tree/merkle-tree.ts'

/** What an archive holds, as the event that retires its month says it. */
export interface ArchiveContents {
  events: number
  /** The places of its events, as ranges. */
  seqs: string
  /** Of its lines, in hex: another compression makes no other archive of it. */
  sha256: string
}

/**
 * Reads an archive back and hashes every event again: each must be the leaf of the signed tree that its place says. Fails for
 * the first that is not, and for anything that is no event.
 */
export async function checkArchive(deps: LogVerifier, file: string): Promise<ArchiveContents> {
  const leafAt = signedLeaves(deps)
  const hash = createHash('sha256')
  const places: [number, number][] = []
  let events = 0
  for await (const line of linesIn(file)) {
    const event = readNdjsonLine(line)
    if (!event) throw new Error(`${file}: line ${events + 1} is no event of the log.`)
    await checkLine(leafAt, event, places.at(-1)?.[1] ?? 0, file)
    addPlace(places, event.seq)
    events++
    hash.update(`${line}\n`)
  }
  return { events, seqs: writeRanges(places), sha256: hash.digest('hex') }
}

async function checkLine(
  leafAt: (seq: number) => Promise<Buffer | undefined>,
  { seq, content }: ExportedEvent,
  before: number,
  file: string,
): Promise<void> {
  if (seq <= before) throw new Error(`${file}: event ${seq} comes after event ${before}.`)
  const leaf = await leafAt(seq)
  if (!leaf?.equals(leafHash(content))) throw new Error(`${file}: event ${seq} is not the one that was signed.`)
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const text = createGunzip()
  // A pipe hands no error on: a file that cannot be read would leave the reader waiting.
  source.on('error', error => text.destroy(error)).pipe(text)
  let rest = ''
  for await (const chunk of text.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new Error(`${file}: the last line is cut off.`)
}
