import { newId, type PayableId } from '@cobro/contracts'
import { openViolationLimits } from './violation-limits.ts'

const hour = 3_600_000
const payer = '198.51.100.7'
const open = newId('cs')
let lookups: PayableId[]
beforeEach(() => {
  lookups = []
})

const limitsWithOpenSession = () =>
  openViolationLimits(async id => {
    lookups.push(id)
    return id === open
  })
const violation = (blocked_origin: string, directive = 'img-src', id: PayableId | null = null) => ({
  ...{ id, source_file: null, source_line: null },
  directive,
  blocked_origin,
})
type Limits = ReturnType<typeof openViolationLimits>

/** Reports different violations of pages that do not exist, each from an address of its own. */
async function flood(limits: Limits, count: number, atMs = 0) {
  const outcomes: string[] = []
  for (let i = 0; i < count; i++)
    outcomes.push(
      await limits.admit(violation(`https://${atMs}-${i}.example`, 'img-src', newId('cs')), `10.0.0.${i}`, atMs),
    )
  return outcomes.filter(outcome => outcome === 'recorded').length
}

test('records a directive with the same blocked origin once an hour', async () => {
  const limits = limitsWithOpenSession()
  expect(await limits.admit(violation('https://a.example'), payer, 0)).toBe('recorded')
  expect(await limits.admit(violation('https://a.example'), payer, hour - 1)).toBe('repeated')
  expect(await limits.admit(violation('https://a.example', 'connect-src'), payer, hour - 1)).toBe('recorded')
  expect(await limits.admit(violation('https://a.example'), payer, hour)).toBe('recorded')
})

test('records at most 10 violations of one address an hour', async () => {
  const limits = limitsWithOpenSession()
  const admit = (at: number, atMs: number) => limits.admit(violation(`https://${at}.example`), payer, atMs)
  for (let at = 0; at < 10; at++) expect(await admit(at, 0)).toBe('recorded')
  expect(await admit(10, 1)).toBe('over_limit')
  expect(await limits.admit(violation('https://10.example'), '198.51.100.8', 1)).toBe('recorded')
  expect(await admit(11, hour)).toBe('recorded')
})

test('records at most 50 violations an hour that are not on the page of an open session or link', async () => {
  const limits = limitsWithOpenSession()
  expect(await flood(limits, 80)).toBe(50)
  expect(await limits.admit(violation('https://a.example'), payer, 1)).toBe('over_limit')
  expect(await flood(limits, 80, hour)).toBe(50)
})

test('records 50 violations an hour on pages of open sessions, whatever strangers have sent', async () => {
  const limits = limitsWithOpenSession()
  await flood(limits, 200)
  const admit = (at: number) =>
    limits.admit(violation(`https://real-${at}.example`, 'connect-src', open), `10.0.1.${at}`, 1)
  for (let at = 0; at < 50; at++) expect(await admit(at)).toBe('recorded')
  expect(await admit(50)).toBe('over_limit')
})

test('looks for no session before 50 violations are recorded, and then for 10 of an address', async () => {
  const limits = limitsWithOpenSession()
  await flood(limits, 50)
  expect(lookups).toEqual([])
  for (let at = 0; at < 30; at++)
    await limits.admit(violation(`https://l-${at}.example`, 'img-src', newId('cs')), payer, 1)
  expect(lookups).toHaveLength(10)
})

test('records a violation once that two calls report while its session is looked for', async () => {
  const limits = limitsWithOpenSession()
  await flood(limits, 50)
  const report = () => limits.admit(violation('https://a.example', 'connect-src', open), payer, 1)
  expect(await Promise.all([report(), report()])).toEqual(['recorded', 'repeated'])
})

test('limits no address if the gateway does not name it, as that of the release before', async () => {
  const limits = limitsWithOpenSession()
  for (let at = 0; at < 50; at++)
    expect(await limits.admit(violation(`https://${at}.example`), undefined, 0)).toBe('recorded')
})

test('records a violation again whose event could not be stored', async () => {
  const limits = limitsWithOpenSession()
  await limits.admit(violation('https://a.example'), payer, 0)
  limits.forget(violation('https://a.example'))
  expect(await limits.admit(violation('https://a.example'), payer, 1)).toBe('recorded')
})

test('counts 10,000 addresses and starts again with the oldest above that', async () => {
  const limits = limitsWithOpenSession()
  await flood(limits, 50)
  const overLimit = (at: number, address: string) => limits.admit(violation(`https://${at}.example`), address, 1)
  const onOpenPage = (at: number) => limits.admit(violation(`https://open-${at}.example`, 'img-src', open), payer, 1)
  for (let at = 0; at < 10; at++) await overLimit(at, payer)
  expect(await onOpenPage(0)).toBe('over_limit')
  // With the addresses of the flood, exactly as many as are counted.
  for (let at = 51; at < 10_000; at++) await overLimit(at, `address ${at}`)
  expect(await onOpenPage(1)).toBe('over_limit')
  for (let at = 0; at < 51; at++) await overLimit(at, `another address ${at}`)
  expect(await onOpenPage(2)).toBe('recorded')
})
