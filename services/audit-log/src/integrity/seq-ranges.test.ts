import { addSeq, isWithin, readRanges, writeRanges } from './seq-ranges.ts'

test('sequence numbers are stored as ranges that contain exactly these numbers', () => {
  const seqs = [1, 2, 3, 7, 9, 10]
  const grow: [number, number][] = []
  for (const seq of seqs) addSeq(grow, seq)
  const ranges = readRanges(writeRanges(grow))
  expect(writeRanges(ranges)).toBe('1-3,7-7,9-10')
  for (let seq = 0; seq <= 11; seq++) expect([seq, isWithin(ranges, seq)]).toEqual([seq, seqs.includes(seq)])
})

test('an empty list of sequence numbers is stored as no ranges', () => {
  expect(readRanges(writeRanges([]))).toEqual([])
})
