import { sleepUnlessAborted } from './sleep-unless-aborted.ts'

test('a sleep ends when its time is up', async () => {
  const begun = performance.now()
  await sleepUnlessAborted(20, new AbortController().signal)
  expect(performance.now() - begun).toBeGreaterThan(18)
})

test('a sleep ends as soon as its signal aborts, and at once if it has aborted before', async () => {
  const stop = new AbortController()
  const asleep = sleepUnlessAborted(600_000, stop.signal)
  stop.abort()
  await asleep
  await sleepUnlessAborted(600_000, stop.signal)
})
