import { hash, sign, verify } from 'node:crypto'
import type { SigningKey, VerifyingKey } from './checkpoint-keys.ts'
import { hashBytes } from './merkle-tree.ts'

/** The content of a checkpoint: the log's root at `size` events, and the checkpoint before it. */
export interface Checkpoint {
  size: number
  root: Buffer
  /** The hash of the checkpoint before. The first checkpoint has the hash of no bytes. */
  previous: Buffer
  /** The creation time, such as `2026-05-04T03:02:01.123Z`. The oldest checkpoints lack it. */
  time?: string | undefined
}

/** The first line of every checkpoint, so that no signature of anything else is valid for one. */
const origin = 'cobro-audit-log'
const previousPrefix = 'previous '
const timePrefix = 'time '
const signaturePrefix = `— ${origin} `

/**
 * Signs a checkpoint as a note in the format of C2SP tlog-checkpoint, with the hash of the
 * checkpoint before and the time as extension lines. Any verifier of that format can check it.
 */
export function signedNote({ size, root, previous, time }: Checkpoint, key: SigningKey): string {
  const timeLine = time === undefined ? '' : `${timePrefix}${time}\n`
  const text = `${origin}\n${size}\n${root.toString('base64')}\n${previousPrefix}${previous.toString('base64')}\n${timeLine}`
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.privateKey)])
  return `${text}\n${signaturePrefix}${signature.toString('base64')}\n`
}

/** Returns the hash by which the next checkpoint refers to this one. */
export const noteHash = (note: string): Buffer => hash('sha256', note, 'buffer')

/** Returns whether a note has a valid signature by one of the keys. */
export function isSigned(note: string, keys: readonly VerifyingKey[]): boolean {
  const [text, signature] = splitNote(note)
  if (!signature) return false
  const key = keys.find(({ id }) => id.equals(signature.subarray(0, id.length)))
  return key !== undefined && verify(null, Buffer.from(text), key.publicKey, signature.subarray(key.id.length))
}

/** Parses a note without verifying it. Returns undefined if the checkpoint format is not exact. */
export function readNote(note: string): Checkpoint | undefined {
  const [text, signature] = splitNote(note)
  const lines = text.split('\n')
  const end = lines.pop()
  const [first, sizeText = '', rootText = '', previousText = '', timeText, ...more] = lines
  const size = Number(sizeText)
  const root = decodeHash(rootText)
  const previous = decodeHash(after(previousPrefix, previousText) ?? '')
  const time = after(timePrefix, timeText ?? '')
  if (!signature || first !== origin || end !== '' || more.length > 0) return undefined
  if (!/^[1-9]\d*$/.test(sizeText) || !Number.isSafeInteger(size) || !root || !previous) return undefined
  return timeText === undefined || isTime(time) ? { size, root, previous, time } : undefined
}

const after = (prefix: string, line: string): string | undefined =>
  line.startsWith(prefix) ? line.slice(prefix.length) : undefined

function isTime(text: string | undefined): boolean {
  const ms = Date.parse(text ?? '')
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}

/** Returns the signed text of a note, and its signature prefixed with the id of the key. */
function splitNote(note: string): [text: string, signature: Buffer | undefined] {
  const at = note.indexOf(`\n\n${signaturePrefix}`)
  const encoded = note.slice(at + 2 + signaturePrefix.length, -1)
  const signature = Buffer.from(encoded, 'base64')
  const isExact = at >= 0 && note.endsWith('\n') && signature.toString('base64') === encoded
  return [note.slice(0, at + 1), isExact ? signature : undefined]
}

function decodeHash(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === hashBytes && bytes.toString('base64') === text ? bytes : undefined
}
