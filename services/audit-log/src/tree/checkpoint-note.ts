import { hash, sign, verify } from 'node:crypto'
import type { SigningKey, VerifyingKey } from './checkpoint-keys.ts'
import { hashBytes } from './merkle-tree.ts'

/** What a checkpoint says: that the log with this many events has this root, and which checkpoint came before it. */
export interface Checkpoint {
  size: number
  root: Buffer
  /** The hash of the checkpoint before it; of the first one, of no bytes. */
  previous: Buffer
  /** When it was made, as `2026-05-04T03:02:01.123Z`. The first checkpoints did not say it. */
  time?: string | undefined
}

/** What every checkpoint begins with, so that a signature of something else can never pass for one. */
const origin = 'cobro-audit-log'
const previousPrefix = 'previous '
const timePrefix = 'time '
const signaturePrefix = `— ${origin} `

/**
 * Writes and signs a checkpoint as a note in the form of C2SP tlog-checkpoint, with the hash of the one before and the time
 * as lines of their own. Any reader of that form can check it.
 */
export function signedNote({ size, root, previous, time }: Checkpoint, key: SigningKey): string {
  const timeLine = time === undefined ? '' : `${timePrefix}${time}\n`
  const text = `${origin}\n${size}\n${root.toString('base64')}\n${previousPrefix}${previous.toString('base64')}\n${timeLine}`
  const signature = Buffer.concat([key.id, sign(null, Buffer.from(text), key.privateKey)])
  return `${text}\n${signaturePrefix}${signature.toString('base64')}\n`
}

/** What a later checkpoint names this one by. */
export const noteHash = (note: string): Buffer => hash('sha256', note, 'buffer')

/** Whether a note bears the good signature of one of the keys. */
export function isSigned(note: string, keys: readonly VerifyingKey[]): boolean {
  const [text, signature] = parted(note)
  if (!signature) return false
  const key = keys.find(({ id }) => id.equals(signature.subarray(0, id.length)))
  return key !== undefined && verify(null, Buffer.from(text), key.publicKey, signature.subarray(key.id.length))
}

/** Reads what a note says, without asking who signed it. What has not exactly the form of a checkpoint gives undefined. */
export function readNote(note: string): Checkpoint | undefined {
  const [text, signature] = parted(note)
  const lines = text.split('\n')
  const end = lines.pop()
  const [first, sizeText = '', rootText = '', previousText = '', timeText, ...more] = lines
  const size = Number(sizeText)
  const root = decoded(rootText)
  const previous = decoded(after(previousPrefix, previousText) ?? '')
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

/** The signed text of a note, and its signature with the key's id before it. */
function parted(note: string): [text: string, signature: Buffer | undefined] {
  const at = note.indexOf(`\n\n${signaturePrefix}`)
  const encoded = note.slice(at + 2 + signaturePrefix.length, -1)
  const signature = Buffer.from(encoded, 'base64')
  const isExact = at >= 0 && note.endsWith('\n') && signature.toString('base64') === encoded
  return [note.slice(0, at + 1), isExact ? signature : undefined]
}

function decoded(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.length === hashBytes && bytes.toString('base64') === text ? bytes : undefined
}
