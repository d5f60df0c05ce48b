import { homeTexts } from '../../text/home-texts.ts'
import { chartSummary } from './chart-summary.ts'

const words = {
  texts: homeTexts.en.summary,
  textOf: (value: number | null) => (value === null ? '–' : String(value)),
  changeOf: (value: number, previous: number) => `${(100 * Math.abs(value - previous)) / previous} %`,
}
const of = (total: number | null, previous: number | null) => [{ label: 'Captured', total, compared: total, previous }]

test.each([
  [of(12, 10), 'Captured: 12, 20 % more than in the period before.'],
  [of(5, 10), 'Captured: 5, 50 % less than in the period before.'],
  [of(10, 10), 'Captured: 10, as in the period before.'],
  [of(10, 0), 'Captured: 10, nothing in the period before.'],
  [of(0, 10), 'Captured: 0, 100 % less than in the period before.'],
  [of(0, 0), 'Captured: 0.'],
  [of(null, 10), 'Captured: –.'],
  [of(10, null), 'Captured: 10.'],
])('%j is %s', (sums, said) => {
  expect(chartSummary(sums, [], words)).toBe(said)
})

test('of a period that has not ended, only what can be compared is, and it says until when', () => {
  const refunded = { label: 'Refunded', total: 3, compared: 2, previous: 2 }
  const until = { ...words, until: '10:00' }
  expect(chartSummary([{ label: 'Captured', total: 12, compared: 10, previous: 5 }, refunded], [], until)).toBe(
    'Captured: 12, 100 % more than in the period before. Refunded: 3, as in the period before. Compared up to 10:00.',
  )
  expect(chartSummary([{ label: 'Captured', total: 12, previous: 100 }], [], words)).toBe('Captured: 12.')
  expect(chartSummary(of(0, 0), [], until)).toBe('Captured: 0.')
})

test('a change that is too small to be written is none', () => {
  expect(chartSummary(of(10_001, 10_000), [], { ...words, changeOf: () => undefined })).toBe(
    'Captured: 10001, as in the period before.',
  )
})

test('names the first of the highest bars, if there is a bar', () => {
  const bars = [1, 3, 3].map((value, hour) => ({ label: `0${hour}:00`, value }))
  expect(chartSummary([...of(7, 7), { label: 'Refunded', total: 1, compared: 1, previous: 0 }], bars, words)).toBe(
    'Captured: 7, as in the period before. Refunded: 1, nothing in the period before. Highest: 3 (01:00).',
  )
  expect(chartSummary(of(0, 0), [{ label: '00:00', value: 0 }], words)).toBe('Captured: 0.')
})
