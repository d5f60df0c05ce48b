import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { type ExportedEvent, readNdjsonLine } from '../export/export-line.ts'
import type { LogVerifier } from '../integrity/read-log.ts'
import { addSeq, writeRanges } from '../integrity/seq-ranges.ts'
import { signedLeaves } from '../integrity/signed-leaves.ts'
import { leafHash } from '../tree/merkle-tree.ts'

/** The contents of an archive, as recorded by the event that retires its month. */
export interface ArchiveContents {
  events: number
  /** The sequence numbers of its events, as ranges. */
  seqs: string
  /** The hash of its uncompressed lines, in hex. */
  sha256: string
}

/**
 * Reads an archive back and compares every event with its leaf in the signed tree. Fails for the
 * first event that differs, and for a line that is not an event.
 */
export async function checkArchive(deps: LogVerifier, file: string): Promise<ArchiveContents> {
  const leafAt = signedLeaves(deps)
  const hash = createHash('sha256')
  const ranges: [number, number][] = []
  let events = 0
  for await (const line of linesIn(file)) {
    const event = readNdjsonLine(line)
    if (!event) throw new Error(`${file}: line ${events + 1} is not an event of the log.`)
    await checkLine(leafAt, event, ranges.at(-1)?.[1] ?? 0, file)
    addSeq(ranges, event.seq)
    events++
    hash.update(`${line}\n`)
  }
  return { events, seqs: writeRanges(ranges), sha256: hash.digest('hex') }
}

async function checkLine(
  leafAt: (seq: number) => Promise<Buffer | undefined>,
  { seq, content }: ExportedEvent,
  before: number,
  file: string,
): Promise<void> {
  if (seq <= before) throw new Error(`${file}: event ${seq} comes after event ${before}.`)
  const leaf = await leafAt(seq)
  if (!leaf?.equals(leafHash(content))) throw new Error(`${file}: event ${seq} is not the signed event.`)
}

async function* linesIn(file: string): AsyncGenerator<string> {
  const source = createReadStream(file)
  const text = createGunzip()
  // `pipe` does not forward errors: without this, a read error would leave the reader waiting.
  source.on('error', error => text.destroy(error)).pipe(text)
  let rest = ''
  for await (const chunk of text.setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
  if (rest !== '') throw new Error(`${file}: the last line is truncated.`)
}
