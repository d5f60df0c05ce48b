import type { HostedPayable } from '@cobro/contracts'
import { openBrowser } from './open-browser.ts'
import { payable } from './payables.ts'
import { openTab, screen } from './payer-browser.ts'
import { startPayerServer } from './payer-server.ts'

export let server: Awaited<ReturnType<typeof startPayerServer>>
export let browser: Awaited<ReturnType<typeof openBrowser>>

/** Gives the calling test file a server and a browser of its own. */
export function ownServerAndBrowser(): void {
  beforeAll(async () => {
    ;[server, browser] = await Promise.all([startPayerServer(), openBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await server.stop()
  })
}

/** Opens a tab with the form of a payable. */
export async function openForm(offered: HostedPayable = payable()) {
  const offer = server.offer(offered)
  const tab = await openTab(browser, server.origin)
  await tab.page.goto(offer.url)
  await screen(tab.page, 'form')
  return { ...tab, offer }
}
