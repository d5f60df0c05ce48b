import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { SignedCheckpoint } from './add-leaves.ts'
import type { VerifyingKey } from './checkpoint-keys.ts'
import { isSigned, readNote } from './checkpoint-note.ts'

/** A line of a checkpoint file or of the log of the service. Earlier releases did not write `restores`. */
const line = z.object({ note: z.string(), restores: z.int().min(0).default(0) })

/** Where the newest checkpoint is searched. A line has about 500 bytes. */
const tailBytes = 65_536

/** Yields the checkpoints in a file, oldest first, without verifying them. Skips other lines. */
export async function* checkpointsIn(file: string): AsyncGenerator<SignedCheckpoint> {
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const checkpoint = readLine(text)
    if (checkpoint) yield checkpoint
  }
}

/**
 * Returns the last checkpoint of a file that is signed with one of the keys; undefined if the file
 * is missing or empty. Throws if it has other content, so that a wrong key or file is noticed.
 */
export async function newestCheckpoint(
  file: string,
  keys: readonly VerifyingKey[],
): Promise<SignedCheckpoint | undefined> {
  const tail = await readTail(file)
  const lines = tail.split('\n').map(readLine)
  const newest = lines.findLast(checkpoint => checkpoint !== undefined && isSigned(checkpoint.note, keys))
  if (newest === undefined && tail !== '')
    throw new Error('AUDIT_CHECKPOINT_FILE ends without a checkpoint that one of the keys has signed.')
  return newest
}

async function readTail(file: string): Promise<string> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (handle === undefined) return ''
  try {
    const { size } = await handle.stat()
    const length = Math.min(size, tailBytes)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

function readLine(text: string): SignedCheckpoint | undefined {
  try {
    const { note, restores } = line.parse(JSON.parse(text))
    return { size: readNote(note)?.size ?? 0, note, restores }
  } catch {
    return undefined
  }
}
