import fc from 'fast-check'
import { callBegin, callEnd } from '../../test/spool-calls.ts'
import { decodeRecords, encodeRecord, maxRecordBytes, type SpoolRecord } from './record-codec.ts'
import { endCall } from './spooled-call.ts'

const anyText = fc.string({ unit: 'binary', maxLength: 40 })
const anyRecord: fc.Arbitrary<SpoolRecord> = fc
  .record({ path: anyText, user_agent: fc.option(anyText), ip: fc.option(anyText), ended: fc.boolean() })
  .map(({ ended, ...more }) => {
    const begin = callBegin(more)
    return ended ? { end: endCall(begin, callEnd()) } : { begin }
  })
const anyRecords = fc.array(anyRecord, { minLength: 1, maxLength: 4 })

const recordsIn = (chunk: Buffer) => decodeRecords(chunk, true).records.map(({ record }) => record)

test('decodes the spool records that it encoded', () => {
  fc.assert(
    fc.property(anyRecords, records => {
      const { consumed, damaged, ...decoded } = decodeRecords(Buffer.concat(records.map(encodeRecord)), true)
      expect(decoded.records.map(({ record }) => record)).toEqual(records)
      expect([consumed, damaged]).toEqual([decoded.records.at(-1)?.next, 0])
    }),
  )
})

test('decodes the complete records before any cut and nothing else', () => {
  fc.assert(
    fc.property(anyRecords, records => {
      const whole = Buffer.concat(records.map(encodeRecord))
      const ends = decodeRecords(whole, true).records.map(({ next }) => next)
      for (let cut = 0; cut <= whole.length; cut++) {
        const complete = ends.filter(end => end <= cut).length
        expect(recordsIn(whole.subarray(0, cut))).toEqual(records.slice(0, complete))
      }
    }),
    { numRuns: 20 },
  )
})

test('decodes the records around damaged bytes', () => {
  fc.assert(
    fc.property(anyRecord, anyRecord, anyRecord, fc.nat(), fc.integer({ min: 1, max: 255 }), (a, b, c, at, flip) => {
      const damagedOne = encodeRecord(b)
      const index = at % damagedOne.length
      damagedOne[index] = damagedOne[index]! ^ flip
      const { records, damaged } = decodeRecords(Buffer.concat([encodeRecord(a), damagedOne, encodeRecord(c)]), true)
      expect(records.map(({ record }) => record)).toEqual([a, c])
      expect(damaged).toBe(damagedOne.length)
    }),
    { numRuns: 300 },
  )
})

test('leaves an incomplete record for the next chunk', () => {
  fc.assert(
    fc.property(anyRecords, fc.nat(), (records, at) => {
      const whole = Buffer.concat(records.map(encodeRecord))
      const first = decodeRecords(whole.subarray(0, at % (whole.length + 1)), false)
      const second = decodeRecords(whole.subarray(first.consumed), true)
      expect([...first.records, ...second.records].map(({ record }) => record)).toEqual(records)
      expect(first.damaged + second.damaged).toBe(0)
    }),
  )
})

test('decodes no record from zeros, with which files end after a power failure', () => {
  expect(decodeRecords(Buffer.alloc(4096), true)).toEqual({ records: [], consumed: 4096, damaged: 4096 })
})

test('rejects a record that is too large to decode', () => {
  expect(() => encodeRecord({ begin: callBegin({ path: 'x'.repeat(maxRecordBytes) }) })).toThrow(RangeError)
})
