import { crc32 } from 'node:zlib'
import type { CallBegin, SpooledCall } from './spooled-call.ts'

/** An end record contains the whole call. A begin record counts only if no end follows. */
export type SpoolRecord = { begin: CallBegin } | { end: SpooledCall }

const headerBytes = 8
/** Four times Node's limit for the headers of a request. A longer length in a file means damage. */
export const maxRecordBytes = 64 * 1024

/** Encodes a record: uint32 little-endian length and CRC-32 of the payload, then its JSON. */
export function encodeRecord(record: SpoolRecord): Buffer {
  const payload = Buffer.from(JSON.stringify(record))
  if (payload.length > maxRecordBytes) throw new RangeError(`a spool record of ${payload.length} bytes`)
  const header = Buffer.allocUnsafe(headerBytes)
  header.writeUInt32LE(payload.length, 0)
  header.writeUInt32LE(crc32(payload), 4)
  return Buffer.concat([header, payload])
}

/**
 * Decodes the records in `chunk`, which starts at a record. Skips and counts any other bytes as
 * `damaged`: a torn tail after a crash, or pages that a failing disk lost. Bytes inside a record cannot look like one:
 * a length's high byte is zero, and JSON has no zero byte. Leaves an incomplete record for the next chunk, from
 * `consumed`, unless this is the `last`.
 */
export function decodeRecords(chunk: Buffer, last: boolean) {
  const records: { record: SpoolRecord; start: number; next: number }[] = []
  let at = 0
  let damaged = 0
  while (at < chunk.length) {
    const payload = payloadAt(chunk, at)
    if (payload === 'incomplete' && !last) break
    if (typeof payload === 'string') {
      at++
      damaged++
      continue
    }
    const next = at + headerBytes + payload.length
    records.push({ record: JSON.parse(payload.toString()), start: at, next })
    at = next
  }
  return { records, consumed: at, damaged }
}

function payloadAt(chunk: Buffer, at: number): Buffer | 'incomplete' | 'damaged' {
  if (chunk.length - at < headerBytes) return 'incomplete'
  const length = chunk.readUInt32LE(at)
  // Zero is not a valid length: files end in zeros after a power failure, and the CRC-32 of an empty payload is 0.
  if (length === 0 || length > maxRecordBytes) return 'damaged'
  const end = at + headerBytes + length
  if (end > chunk.length) return 'incomplete'
  const payload = chunk.subarray(at + headerBytes, end)
  return crc32(payload) === chunk.readUInt32LE(at + 4) ? payload : 'damaged'
}
