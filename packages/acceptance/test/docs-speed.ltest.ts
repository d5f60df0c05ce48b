import { openBrowser } from '@cobro/hosted-page/test/open-browser'
import type { Browser } from 'playwright-core'
import type { AcceptanceStack } from '../src/acceptance-stack.ts'
import { sharedStack } from '../src/shared-stack.ts'

let stack: AcceptanceStack
let browser: Browser
beforeAll(async () => {
  stack = await sharedStack()
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await stack?.stop()
})

test('on a slow phone the first content of a page is there within a second', async () => {
  const page = await browser.newPage()
  await page.goto(`${stack.stack.base_url}/docs/guides/webhooks`)
  const client = await page.context().newCDPSession(page)
  // A phone on slow 4G: 1.6 Mbit/s down, 150 ms to and fro, a processor four times as slow.
  await client.send('Network.enable')
  await client.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: 1.6e6 / 8,
    uploadThroughput: 750e3 / 8,
  })
  await client.send('Network.setCacheDisabled', { cacheDisabled: true })
  await client.send('Emulation.setCPUThrottlingRate', { rate: 4 })
  await page.reload()
  const paintMs = await page.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)
  expect(paintMs).toBeLessThan(1_000)
})
