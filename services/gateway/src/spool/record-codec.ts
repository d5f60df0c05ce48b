import { crc32 } from 'node:zlib'
import type { CallBegin, SpooledCall } from './spooled-call.ts'

/** An end holds the whole call, so that shipping it needs no other record; a begin matters only if no end follows. */
export type SpoolRecord = { begin: CallBegin } | { end: SpooledCall }

export interface DecodedRecord {
  record: SpoolRecord
  start: number
  next: number
}

const headerBytes = 8
/** Four times what Node lets all headers of a call weigh. A longer length in a file is damage. */
export const maxRecordBytes = 64 * 1024

/** Encodes a record: length and CRC-32 of the payload (little-endian, 4 bytes each), then the payload, JSON in UTF-8. */
export function encodeRecord(record: SpoolRecord): Buffer {
  const payload = Buffer.from(JSON.stringify(record))
  if (payload.length > maxRecordBytes) throw new RangeError(`a spool record of ${payload.length} bytes`)
  const header = Buffer.allocUnsafe(headerBytes)
  header.writeUInt32LE(payload.length, 0)
  header.writeUInt32LE(crc32(payload), 4)
  return Buffer.concat([header, payload])
}

/**
 * Decodes what stands in `chunk`, which begins at a record. Bytes that are no sound record are passed over one by one
 * and counted as `damaged`: a tail that a crash tore, or pages that a failing disk lost. Nothing inside a record can
 * pass for one: the high byte of a length is zero, and JSON text holds no zero byte.
 * An incomplete record at the end is left for the next chunk (`consumed` says from where), unless this is the `last`.
 */
export function decodeRecords(chunk: Buffer, last: boolean) {
  const records: DecodedRecord[] = []
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
  // A length of zero must not count as an empty record: files end in zeros after a power failure, and CRC-32 of nothing is 0.
  if (length === 0 || length > maxRecordBytes) return 'damaged'
  const end = at + headerBytes + length
  if (end > chunk.length) return 'incomplete'
  const payload = chunk.subarray(at + headerBytes, end)
  return crc32(payload) === chunk.readUInt32LE(at + 4) ? payload : 'damaged'
}
